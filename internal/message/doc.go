// Package message holds the canonical form of a conversation: roles, blocks, order and validity (spec section 3).
//
// A transcript is append-only and numbered by [Seq]; a [View] is what a model is sent. Nothing here reads a clock,
// does I/O or keeps state. Values are handed out by copy: a caller may append to a slice it was given only after
// cloning it ([Message.Clone]), because blocks are shared between the transcript, the view and the wire.
package message
