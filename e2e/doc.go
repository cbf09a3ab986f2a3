// Package e2e drives the whole program as its users do: over real sockets, with the public protocol client, in a real
// browser, through crashes.
package e2e
