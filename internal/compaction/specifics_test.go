package compaction

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// specificRE is what the scanner must equal: the expression of the fidelity measure.
var specificRE = regexp.MustCompile(`(?:[\w.-]+/)+[\w.-]+|\b[\w-]+\.(?:go|py|ts|tsx|js|json|md|yaml|yml|toml|sh|rs|sql|html|css|txt|lock)\b` +
	`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w{3,}\b|\b[A-Z][a-z]+[A-Z]\w+\b|\b[A-Z]{2,}[A-Z_]{3,}\b|\b\d{3,}\b|\b[0-9a-f]{7,40}\b`)

func scanned(s string) []string {
	var out []string
	ScanSpecifics(s, func(a, b int, _ SpecificKind) { out = append(out, s[a:b]) })
	return out
}

func TestScanSpecifics_EqualsExpression(t *testing.T) {
	words := []string{
		"a", "go", "foo", "Bar", "BAZ", "_", "-", ".", "/", " ", "\n", "1", "123", "deadbee", "cafe1234", "é", ":", "js", "json",
		".go", ".ts", "tsx", "__", "ABCDE", "A_B", "internal/x.go", "fooBar", "FooBar", "foo_bar", "X9", "v1.2.3",
	}
	rapid.Check(t, func(t *rapid.T) {
		s := ""
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "parts") {
			s += p
		}
		if d := cmp.Diff(specificRE.FindAllString(s, -1), scanned(s)); d != "" {
			t.Fatalf("%q: %s", s, d)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[-a-fA-DX_0-9./ go]{0,24}`).Draw(t, "s")
		if d := cmp.Diff(specificRE.FindAllString(s, -1), scanned(s)); d != "" {
			t.Fatalf("%q: %s", s, d)
		}
	})
}

func TestScanCodes(t *testing.T) {
	s := "Book HAT028 for JG7FMM (ENT-221), v1.4.12 of 2024-05-21, mail to ann.lee+x@boats.example; not THIS, x.y.z, 1.2, UTF-8 or a-b."
	var got []string
	ScanCodes(s, func(from, to int) { got = append(got, s[from:to]) })
	want := []string{"HAT028", "JG7FMM", "ENT-221", "v1.4.12", "2024-05-21", "ann.lee+x@boats.example"}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	for _, w := range want {
		if kindOf(w) != KindCode {
			t.Errorf("%s is no code", w)
		}
	}
}
