// Package messagetest generates histories for property tests of any package that handles messages.
//
// [History] is messy in every way spec 3.4 names; [ValidHistory] holds to spec 3.3. Both are deterministic for a given
// rapid seed, and every text in them is unique, so that a test can tell whether one got lost.
package messagetest
