package compaction

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// secrets are made up; each stands for one pattern.
var secrets = []string{
	"sk-ant-" + "api03-Zq8LmT4vXw2Rk9Yp7Nd5Hs3Jb6Cf1Ge0",
	"sk-" + "proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z",
	"sk-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d",
	"ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d",
	"github_pat_" + "11ABCDEFG0_Ab3dEf6hIj9kLm2nOp5qRs8t",
	"AKIA" + "Z7Q2M4X9K1P8L5N3",
	"xoxb-" + "123456789012-abcdefABCDEF123456",
	"glpat-" + "Ab3dEf6hIj9kLm2nOp5q",
	"AIza" + "SyAb3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zA",
	"eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
}

func TestMask_Secrets(t *testing.T) {
	cases := []struct{ in, want string }{
		{"Authorization: Bearer q7Zx81LmT4vXw2Rk9Yp7", "Authorization: Bearer [REDACTED]"},
		{"authorization: basic dXNlcjpwYXNzd29yZDEyMw==", "authorization: basic [REDACTED]"},
		{"postgres://app:s3cr3tpw@db.example.com:5432/x", "postgres://[REDACTED]@db.example.com:5432/x"},
		{`{"password": "hunter22"}`, `{"password": "[REDACTED]"}`},
		{`{"api_key":"a8f5f167f44f4964e6c998dee827110c"}`, `{"api_key":"[REDACTED]"}`},
		{`{\"client_secret\": \"Zq8LmT4vXw2Rk9Yp\"}`, `{\"client_secret\": \"[REDACTED]\"}`},
		{"DB_PASSWORD=correcthorse\nPORT=5432", "DB_PASSWORD=[REDACTED]\nPORT=5432"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [REDACTED]"},
		{"https://x.example/cb?access_token=Zq8LmT4vXw2Rk9Yp&x=1", "https://x.example/cb?access_token=[REDACTED]&x=1"},
		{"tool --token Zq8LmT4vXw2Rk9Yp --verbose", "tool --token [REDACTED] --verbose"},
		{"curl -u admin:letmein99 https://x.example", "curl -u [REDACTED] https://x.example"},
		{"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----\nb", "a\n[REDACTED]\nb"},
		{`"key": "-----BEGIN PRIVATE KEY-----\nMIIEow\n"}`, `"key": "[REDACTED]"}`},
	}
	for _, c := range cases {
		got, n := Mask(c.in)
		require.Equal(t, c.want, got)
		require.Equal(t, 1, n, c.in)
	}
	for _, s := range secrets {
		for _, in := range []string{s, "key " + s + ".", `{"a":"x\n` + s + `"}`, "export A=" + s} {
			got, n := Mask(in)
			require.NotContains(t, got, s)
			require.Equal(t, 1, n, in)
		}
	}
}

func TestMask_LeavesOrdinaryTextAlone(t *testing.T) {
	for _, s := range []string{
		"", "plain words", "commit 9e5f1221ebe192d052326be4bd4d73d7aa10c6ee fixes #12",
		"internal/compaction/mask_value.go:120:4", "/home/x/.cache/go-build/ab/abcdef0123456789abcdef0123456789-d",
		"6f1ed002-ab5d-4c3e-8f1a-0242ac120002", "token := lexer.next()", "tokens: 4096", "max_tokens=30000", "secretary=Ms. Jones12345678",
		"if token == expectedToken123456 {", "password = os.Getenv(\"DB_PASSWORD\")", "const apiKey = process.env.API_KEY_2024",
		"token: string", "sk-learn-like-dashed-words-in-prose", "risk-or-reward-analysis", "https://github.com/a/b/issues/950", "mailto: someone@example.com",
		"http://localhost:3000/@scope/pkg", "postgres://user:$PASSWORD@db/x", "password: ${PASSWORD}", "PASSWORD=****",
		"Bearer tokens are refused", "see Basic authentication", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"API_KEY=$OTHER", "secret_name: projects/x/secrets/y", "go test -run TestMask --token-count 3", "sha256:9f86d081884c7d659a2feaa0c55ad015",
	} {
		got, n := Mask(s)
		require.Equal(t, s, got)
		require.Zero(t, n)
	}
}

func TestMask_IsIdempotentAndKeepsJSON(t *testing.T) {
	parts := append([]string{
		"a", " ", "\n", "=", ":", "\"", "'", "-", "token", "password", "secret", "Bearer ", "://", "@", "u:p", "9f86d081884c7d65", Redacted,
		"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "--token ", "é", "\\", "/", "{", ",", "12345678",
	}, secrets...)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		once, _ := Mask(s)
		twice, n := Mask(once)
		if once != twice {
			t.Fatalf("%q -> %q -> %q (%d)", s, once, twice, n)
		}
		raw, _ := json.Marshal(map[string]string{"password": s, s: "x", "cmd": s})
		masked, _ := Mask(string(raw))
		if !json.Valid([]byte(masked)) {
			t.Fatalf("%s\n-> %s", raw, masked)
		}
	})
}

func TestMask_RemovesEverySecretAmongText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SampledFrom(secrets).Draw(t, "secret")
		before := rapid.SampledFrom([]string{"", " ", "\n", "key=", "\"", "(", "see: ", "Bearer ", "https://u:p@h ", "日本"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", " ", "\n", "\"", ")", ", and", "日本"}).Draw(t, "after")
		got, _ := Mask(before + secret + after)
		if strings.Contains(got, secret) {
			t.Fatalf("%q", got)
		}
	})
}

func TestMaskError(t *testing.T) {
	got := MaskError("Post https://u:pw12345@api.example.com/v1: dial as jane.doe@example.com from /home/jane/work/x.go with " +
		"req 9e5f1221ebe192d052326be4bd4d73d7aa10c6ee")
	require.Equal(t, "Post https://[REDACTED]@api.example.com/v1: dial as [REDACTED] from ~/work/x.go with req [REDACTED]", got)
	require.Equal(t, "open ~/a: no such file", MaskError("open /Users/sam/a: no such file"))
	require.Equal(t, "status 429: slow down", MaskError("status 429: slow down"))
	long := MaskError(strings.Repeat("é", 700))
	require.Equal(t, strings.Repeat("é", 500), long)
	rapid.Check(t, func(t *rapid.T) {
		s := MaskError(rapid.String().Draw(t, "s") + " " + rapid.SampledFrom(secrets).Draw(t, "secret") + " " + rapid.String().Draw(t, "u"))
		for _, k := range secrets {
			if strings.Contains(s, k) {
				t.Fatal(s)
			}
		}
		if again := MaskError(s); again != s {
			t.Fatalf("%q -> %q", s, again)
		}
	})
}
