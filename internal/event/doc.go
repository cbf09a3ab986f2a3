// Package event says what happened and who hears it (spec section 8).
//
// There are two logs. Stream rows are what the clients of one session are shown, numbered per session from 1 without
// holes ([StreamSeq]); catalog events are metadata only, carry one server-wide increasing [ID] and feed the operators.
// Both are written by the store in the transaction of what they report and published after the commit, by the one
// goroutine that owns the session, so that order needs no lock. Gauge ticks are ephemeral: no number, may be dropped.
//
// A [Bus] hands each subscriber its own bounded queue: a slow reader costs only itself, and is told so by the end of
// its subscription.
package event
