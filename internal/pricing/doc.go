// Package pricing says what tokens cost (spec 7.4): exact decimals in code, integers of 10⁻¹² USD in the database,
// decimal strings in JSON, never a float. A price that is not known, a model that is free and a call that cost nothing
// are three things, and [Price] keeps them apart.
//
// Everything here is a pure function or a plain value; nothing reads a clock or is safe to share between goroutines
// that write ([Budget] belongs to the actor of its session).
package pricing
