// Package transcript reads recorded sessions in any of five forms and turns them into canonical messages (spec 10,
// "Transcript files"), and writes the corpus form.
//
// [Read] promises one of two things: a [Recording] with everything in it that was said to or by a model, or one [*Error]
// that names the file, the line or message, and what was expected there. It never panics. What it reads is not repaired:
// neighbors of one role, orphans and blanks stand as in the source, and message.Repair mends them. Blocks of a type that
// is not known become opaque blocks, or labeled text where an opaque block cannot stand; nothing is dropped.
//
// Limits: a line has at most [MaxLine] bytes, a document that is one JSON value at most [MaxDocument].
//
// What belongs to no conversation is passed over without a word: side chains, progress, titles and snapshots of Claude
// Code, events and turn settings of Codex. Both logs are read in the order of their lines, not along parent links: those
// skip all but one of a batch of parallel results.
package transcript
