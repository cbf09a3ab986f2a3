package compaction

import "strings"

// vendorKey is a key format that its first characters give away.
type vendorKey struct {
	prefix string
	min    int  // characters needed after the prefix
	mixed  bool // the rest must not look like words joined by dashes
}

var vendorKeys = []vendorKey{
	{"sk-ant-", 8, false},
	{"sk-proj-", 8, false},
	{"sk-or-", 16, true},
	{"sk-", 16, true},
	{"sk_live_", 8, false},
	{"sk_test_", 8, false},
	{"rk_live_", 8, false},
	{"whsec_", 16, true},
	{"ghp_", 16, false},
	{"gho_", 16, false},
	{"ghu_", 16, false},
	{"ghs_", 16, false},
	{"ghr_", 16, false},
	{"github_pat_", 16, false},
	{"glpat-", 16, false},
	{"npm_", 30, true},
	{"hf_", 24, true},
	{"xoxb-", 8, false},
	{"xoxp-", 8, false},
	{"xoxa-", 8, false},
	{"xoxr-", 8, false},
	{"xoxs-", 8, false},
	{"xapp-", 8, false},
	{"AKIA", 16, true},
	{"ASIA", 16, true},
	{"AIza", 30, true},
	{"ya29.", 20, true},
	{"SG.", 30, true},
	{"dop_v1_", 30, true},
	{"pypi-", 50, true},
	{"lsv2_", 24, true},
	{"gsk_", 24, true},
	{"xai-", 24, true},
}

// keysByFirst lists the vendor keys by their first byte.
var keysByFirst = func() (t [256][]*vendorKey) {
	for i := range vendorKeys {
		c := vendorKeys[i].prefix[0]
		t[c] = append(t[c], &vendorKeys[i])
	}
	return t
}()

// vendorKeyAt finds a vendor's key. Inside of a word only the prefixes count that no word holds.
func vendorKeyAt(s string, i int, inWord bool) (int, int) {
	for _, v := range keysByFirst[s[i]] {
		if inWord && (v.mixed || strings.HasPrefix(v.prefix, "sk-")) || !strings.HasPrefix(s[i:], v.prefix) {
			continue
		}
		j := i + len(v.prefix)
		e := runEnd(s, j, isKeyByte)
		for e > j && s[e-1] == '.' { // the end of a sentence
			e--
		}
		if e-j >= v.min && (!v.mixed || looksRandom(s[j:e])) {
			return i, e
		}
	}
	return 0, 0
}
