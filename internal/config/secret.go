package config

// Secret is text that must not be printed. Every way of formatting it shows a mask; Reveal is the one way to the text.
type Secret struct{ text string }

// NewSecret wraps a secret.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal is the secret itself.
func (s Secret) Reveal() string { return s.text }

// IsSet reports whether there is one.
func (s Secret) IsSet() bool { return s.text != "" }

const mask = "********"

// String masks the secret, its length too.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return mask
}

// GoString masks the secret for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText masks the secret in JSON, YAML and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
