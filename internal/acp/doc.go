// Package acp is the client protocol as Go types and a codec: ACP v1 over JSON-RPC 2.0 text frames, with our extension
// fields (protocol sections 1 to 3). It knows no sockets and no sessions.
//
// Decoding is strict about the frame (one JSON value, bounded depth, bounded ids, no batches) and lenient about its
// content: unknown fields pass, as the public schema wants. Encoding is deterministic: the same value gives the same
// bytes, so that two sockets that are shown one row are shown the same row.
//
// The types follow the stable v1 schema of the public npm package; a test validates every example against it.
package acp
