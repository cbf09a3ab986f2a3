package web

import (
	"crypto/rand"
	"encoding/base64"
)

func newNonce() string {
	b := make([]byte, 16)
	rand.Read(b) //nolint:errcheck // documented never to return an error
	return base64.RawURLEncoding.EncodeToString(b)
}
