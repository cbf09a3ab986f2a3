// Package auth says who is asking and what they may do: API keys, browser logins and one-use tickets (protocol section
// 3, spec section 10).
//
// Secrets are 256 bits from the system's generator, shown once, kept as SHA-256 and compared in constant time. A slow
// password hash would add nothing: there is no dictionary of 256-bit secrets. Whatever is wrong with a credential
// (unknown, revoked, expired, spent) is the same [ErrUnauthenticated], so that nobody learns which.
//
// [Service] is safe for concurrent use. Keys and logins live in a [KeyStore] and survive a restart; tickets live in
// memory, since they outlive nothing.
package auth
