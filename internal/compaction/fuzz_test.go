package compaction

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

// Whatever a tool result says, no tag of ours is left in it, and escaping twice changes nothing.
func FuzzEscapeFences(f *testing.F) {
	for _, s := range escapes {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := escapeFences(s)
		require.Negative(t, nextFence(escaped, 0))
		require.Equal(t, escaped, escapeFences(escaped))
		msgs := RenderSpan([]message.Message{message.NewUser(message.TextResult(s, s, false), message.Text{Text: s})}, closingText)
		require.NoError(t, message.ValidateHistory(msgs))
	})
}

// The gate has an answer for each text and fact, the same each time; what it accepts holds the user's own words.
func FuzzGate(f *testing.F) {
	f.Add("- Never push to main.\n- go vet -> ok", "Never push to main.")
	f.Add("", "")
	f.Add("a\nb", "a b")
	f.Add("不要推送到主分支。", "不要推送到主分支。")
	f.Fuzz(func(t *testing.T, text, fact string) {
		in := gateInput()
		in.Text, in.UserText = text, fact
		in.Facts = nil
		for _, c := range FactClasses {
			in.Facts = append(in.Facts, newFact(c, fact, 1))
		}
		v := Gate(in)
		require.Equal(t, v, Gate(in))
		require.Equal(t, v.Accepted, v.Reason == "")
		require.LessOrEqual(t, len(v.Missing), len(in.Facts))
		if v.Accepted {
			require.Contains(t, newMatcher(text).folded, trimSentence(foldLine(fact)))
		}
	})
}
