// Package store keeps sessions, their logs and the spend ledger in SQLite through GORM (spec 2.1, design "Data").
//
// One method is one business fact and one transaction. The transaction is immediate and runs on the only writer
// connection; it gives seqs, stream numbers and event ids and updates the running totals of session and turn together
// with the ledger row they come from, so no two of them can differ. What a method returns is what was committed:
// publish it afterwards, never before. Reads use a pool of their own and never wait for a writer.
//
// Order is by number: seq, stream seq, event id, and for passes and ledger rows the order of insertion. Times are
// shown, never sorted by (spec 3.3, case B105). Times are int64 nanoseconds since 1970 in UTC, money is an int64 of
// 10⁻¹² USD so that SQL sums are exact (spec 7.4), JSON is kept as the bytes that came.
//
// Nothing replaces rows wholesale: a transcript row is inserted once and never changed (spec 3.5, cases B90, B91).
package store
