package compaction

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"tidemark/internal/message"
)

// The canonical form holds nothing but map[string]any, []any, string, int64, float64, bool and nil: the encoder sorts
// the keys of no other map type, and every other integer type has an encoding of its own.

// canonicalMessages is the entry `messages` of the key (spec 5.1).
func canonicalMessages(k KeyInput) ([]any, error) {
	out := make([]any, 0, len(k.Parents)+len(k.Rows))
	for _, p := range k.Parents {
		out = append(out, canonicalMessage(message.RoleUser, []any{canonicalText(p)}))
	}
	ids := make(toolNames)
	for i := range k.Rows {
		blocks, err := canonicalBlocks(k.Rows[i].Blocks, ids)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		out = append(out, canonicalMessage(k.Rows[i].Role, blocks))
	}
	return out, nil
}

func canonicalMessage(role message.Role, content []any) map[string]any {
	return map[string]any{"role": string(role), "content": content}
}

// toolNames gives tool ids their place in the order of first appearance: t0, t1, …. Providers make ids up at random, so
// that no rerun of a session would ever find its summary.
type toolNames map[string]string

func (t toolNames) name(id string) string {
	n, ok := t[id]
	if !ok {
		n = "t" + strconv.Itoa(len(t))
		t[id] = n
	}
	return n
}

func canonicalBlocks(bs message.Blocks, ids toolNames) ([]any, error) {
	out := make([]any, 0, len(bs))
	for _, b := range bs {
		c, err := canonicalBlock(b, ids)
		if err != nil {
			return nil, err
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// canonicalBlock is nil for a block that is left out. An opaque block is the placeholder that the summarizer is shown:
// the raw bytes of another provider have no say in a summary.
func canonicalBlock(b message.Block, ids toolNames) (map[string]any, error) {
	switch v := b.(type) {
	case message.Text:
		return canonicalText(v.Text), nil
	case message.ToolUse:
		return canonicalUse(v, ids)
	case message.ToolResult:
		return canonicalResult(v, ids)
	case message.Image:
		return canonicalImage(v), nil
	case message.Opaque:
		return canonicalText(opaqueNote(v)), nil
	}
	return nil, nil
}

func canonicalText(s string) map[string]any {
	return map[string]any{"type": message.TypeText, "text": masked(s)}
}

func canonicalUse(u message.ToolUse, ids toolNames) (map[string]any, error) {
	input, err := canonicalInput(u.Input)
	if err != nil {
		return nil, fmt.Errorf("input of tool %s: %w", u.Name, err)
	}
	return map[string]any{
		"type": message.TypeToolUse, "id": ids.name(u.ID), "name": masked(u.Name), "input": input,
	}, nil
}

func canonicalResult(r message.ToolResult, ids toolNames) (map[string]any, error) {
	out := map[string]any{
		"type": message.TypeToolResult, "tool_use_id": ids.name(r.ToolUseID), "is_error": r.IsError,
	}
	if s, ok := onlyText(r.Content); ok {
		out["content"] = masked(s)
		return out, nil
	}
	blocks, err := canonicalBlocks(r.Content, ids)
	out["content"] = blocks
	return out, err
}

// onlyText joins the content of a result that holds nothing but text; no content is the empty string.
func onlyText(bs message.Blocks) (string, bool) {
	if len(bs) == 1 {
		t, ok := bs[0].(message.Text)
		return t.Text, ok
	}
	parts := make([]string, 0, len(bs))
	for _, b := range bs {
		t, ok := b.(message.Text)
		if !ok {
			return "", false
		}
		parts = append(parts, t.Text)
	}
	return strings.Join(parts, "\n"), true
}

func canonicalImage(img message.Image) map[string]any {
	sum := sha256.Sum256(imageBytes(img))
	return map[string]any{
		"type": message.TypeImage, "media_type": img.MediaType, "sha256": hex.EncodeToString(sum[:]),
	}
}

// imageBytes decodes the image. Data that is not base64 stands for itself, so that a key exists for every span.
func imageBytes(img message.Image) []byte {
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if raw, err := enc.DecodeString(img.Data); err == nil {
			return raw
		}
	}
	return []byte(img.Data)
}

// masked is [Mask] without its count.
func masked(s string) string {
	out, _ := Mask(s)
	return out
}
