// Package replay is an ACP client that drives a server with recorded sessions (spec section 10, `tidemark replay`): one
// session a file, through /acp like any other client, then a look at the books over HTTP.
//
// User turns and tool results come from the file, model answers too when the model is sim:replay: they travel with the
// prompt (protocol section 2). A socket that drops is opened again, the session resumed and the prompt sent again under
// its idempotency key, so a run ends with the same rows however often it was cut.
//
// Afterwards each session's turns, ledger, compactions and events must agree with one another; what does not is reported
// as a violation of that file.
package replay
