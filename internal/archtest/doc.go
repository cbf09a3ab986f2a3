// Package archtest keeps the import rules of this module true. It has no code
// of its own: its test reads "go list" and compares each package with a table
// of what that package may import.
//
// Data moves forward through the packages and nothing calls back up:
//
//	message <- model <- pricing, provider <- event, tool, compaction
//	        <- session <- store, web <- app <- cmd/server, e2e
//
// A new package must be added to the table; so must a new import between two
// packages, and that line of the change is where it is argued for.
package archtest
