// Package sim is the simulated provider (spec 7.6): a real adapter without a service behind it. It is deterministic,
// streams, calls tools, reports usage through a model of Anthropic's prompt cache, refuses what a strict API refuses,
// and fails on cue.
package sim
