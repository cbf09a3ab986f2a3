package message_test

import (
	"testing"

	"tidemark/internal/message"
)

// TestCanonicalInput pins the one spelling of a tool input.
func TestCanonicalInput(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  `{}`,
		" null ":                            `{}`,
		"{ \"a\" : [ 1.0e3 ] ,\n\"b\":{} }": `{"a":[1.0e3],"b":{}}`,
		`{"a":"\u003cb\u003E \u0026 \u2028\u2029"}`: "{\"a\":\"<b> & \u2028\u2029\"}",
		`{"a":"\\u003c \\\u003c \u00e9 \""}`:        `{"a":"\\u003c \\< \u00e9 \""}`,
		"{\"a\":\"\x82\"}":                          "{\"a\":\"\ufffd\"}",
	} {
		got, err := message.CanonicalInput([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%q: %s, %v, want %s", in, got, err, want)
		}
		if again, err := message.CanonicalInput(got); err != nil || string(again) != want {
			t.Errorf("a second time: %s, %v", again, err)
		}
	}
	for _, in := range []string{"[]", "7", `"{}"`, "{", `{"a":}`, "{} {}"} {
		if got, err := message.CanonicalInput([]byte(in)); err == nil {
			t.Errorf("%q passes as %s", in, got)
		}
	}
}
