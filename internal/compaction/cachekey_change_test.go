package compaction

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tidemark/internal/message"
)

// keyChanges each make another span; those that find nothing to change return false.
var keyChanges = map[string]func(k *KeyInput, rows []message.Message) bool{
	"model":   func(k *KeyInput, _ []message.Message) bool { k.Model += "x"; return true },
	"version": func(k *KeyInput, _ []message.Message) bool { k.PromptVersion += "+two.1"; return true },
	"max":     func(k *KeyInput, _ []message.Message) bool { k.MaxTokens++; return true },
	"parent":  func(k *KeyInput, _ []message.Message) bool { k.Parents = []string{""}; return true },
	"role": func(_ *KeyInput, rows []message.Message) bool {
		rows[len(rows)-1].Role = message.RoleUser
		return true
	},
	"order": func(_ *KeyInput, rows []message.Message) bool {
		rows[0], rows[len(rows)-1] = rows[len(rows)-1], rows[0]
		return true
	},
	"missing": func(k *KeyInput, _ []message.Message) bool { k.Rows = k.Rows[1:]; return true },
	"text":    func(_ *KeyInput, rows []message.Message) bool { return changeFirst(rows, changeText) },
	"input":   func(_ *KeyInput, rows []message.Message) bool { return changeFirst(rows, changeInput) },
	"number":  func(_ *KeyInput, rows []message.Message) bool { return changeFirst(rows, changeNumber) },
	"name":    func(_ *KeyInput, rows []message.Message) bool { return changeFirst(rows, changeName) },
	"result":  func(_ *KeyInput, rows []message.Message) bool { return changeFirst(rows, changeResult) },
	"failed":  func(_ *KeyInput, rows []message.Message) bool { return changeFirst(rows, changeFailed) },
	"blocks":  swapBlocks,
	"answers": crossAnswers,
}

func changeFirst(rows []message.Message, change func(message.Block) (message.Block, bool)) bool {
	for i := range rows {
		for k, b := range rows[i].Blocks {
			if c, ok := change(b); ok {
				rows[i].Blocks[k] = c
				return true
			}
		}
	}
	return false
}

func changeText(b message.Block) (message.Block, bool) {
	t, ok := b.(message.Text)
	return message.Text{Text: strings.ToLower(t.Text[:1]) + t.Text[1:]}, ok
}

func changeInput(b message.Block) (message.Block, bool) {
	u, ok := b.(message.ToolUse)
	u.Input = json.RawMessage(strings.Replace(string(u.Input), `"path":"`, `"path":"!`, 1))
	return u, ok
}

func changeNumber(b message.Block) (message.Block, bool) {
	u, ok := b.(message.ToolUse)
	u.Input = json.RawMessage(strings.Replace(string(u.Input), `"n":`, `"n":1`, 1))
	return u, ok && !strings.Contains(string(u.Input), `:1-`)
}

func changeName(b message.Block) (message.Block, bool) {
	u, ok := b.(message.ToolUse)
	u.Name += "_2"
	return u, ok
}

func changeResult(b message.Block) (message.Block, bool) {
	r, ok := b.(message.ToolResult)
	r.Content = message.Blocks{message.Text{Text: r.Content.PlainText() + "."}}
	return r, ok
}

func changeFailed(b message.Block) (message.Block, bool) {
	r, ok := b.(message.ToolResult)
	r.IsError = !r.IsError
	return r, ok
}

// swapBlocks turns the order of two results round.
func swapBlocks(_ *KeyInput, rows []message.Message) bool {
	for i := range rows {
		if bs := rows[i].Blocks; len(rows[i].ToolResults()) > 1 {
			bs[0], bs[1] = bs[1], bs[0]
			return true
		}
	}
	return false
}

// crossAnswers gives the results of two calls to one another.
func crossAnswers(_ *KeyInput, rows []message.Message) bool {
	for i := range rows {
		rs := rows[i].ToolResults()
		if len(rs) > 1 {
			a, b := rs[0], rs[1]
			a.ToolUseID, b.ToolUseID = b.ToolUseID, a.ToolUseID
			rows[i].Blocks[0], rows[i].Blocks[1] = a, b
			return true
		}
	}
	return false
}

func TestKey_EachChangeMatters(t *testing.T) {
	for name, change := range keyChanges {
		t.Run(name, func(t *testing.T) {
			found := false
			rapid.Check(t, func(t *rapid.T) {
				k := KeyInput{Rows: drawSpan(t), Model: "m:x", PromptVersion: "1.0.0", MaxTokens: 4096}
				other := k
				other.Rows = make([]message.Message, len(k.Rows))
				for i := range k.Rows {
					other.Rows[i] = k.Rows[i].Clone()
				}
				if !change(&other, other.Rows) {
					return
				}
				found = true
				require.NotEqual(t, mustKey(t, k), mustKey(t, other))
			})
			require.True(t, found)
		})
	}
}
