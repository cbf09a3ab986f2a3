// Package web is the HTTP surface: the session WebSocket (/acp), the operator feed, the JSON API, sign-in and the pages
// (protocol sections 3 to 5).
//
// [Server] owns every socket and stream it opened and waits for them in Close. It reads committed rows through
// session.Reader, acts through session.Service, and checks on every verb who may do so; below it nobody asks. One file
// maps stream rows to the wire (acp_map.go), one table maps errors (errors.go), one helper makes every event stream
// (sse.go).
package web
