// Package session owns live conversations: the actor of each session, its turns, and the manager that starts and stops
// actors (spec sections 3, 4 and 8; the path of one turn in ARCHITECTURE.md).
//
// One goroutine, the actor, alone changes a session's state. Everybody else sends it commands through a bounded mailbox
// or reads committed rows through [Reader]. Each change is one [Store] method, which is one transaction; what happened
// is published after the commit, in order, by the same goroutine. A client that goes away does not end a turn.
package session
