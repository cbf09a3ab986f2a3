package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// UnmarshalJSON reads a list of blocks, or a bare string as one text block. An unknown type is an error that names it.
func (bs *Blocks) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	*bs = nil
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		return bs.fromString(data)
	}
	var raws []rawBlock
	if err := json.Unmarshal(data, &raws); err != nil {
		return fmt.Errorf("content is neither a string nor a list of blocks: %w", err)
	}
	out := make(Blocks, 0, len(raws))
	for i, r := range raws {
		b, err := fromRaw(r)
		if err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		out = append(out, b)
	}
	*bs = out
	return nil
}

func (bs *Blocks) fromString(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s != "" {
		*bs = Blocks{Text{Text: s}}
	}
	return nil
}

func fromRaw(r rawBlock) (Block, error) {
	switch r.Type {
	case TypeText:
		return Text{Text: deref(r.Text)}, nil
	case TypeThinking:
		return Thinking{Thinking: deref(r.Thinking), Signature: r.Signature}, nil
	case TypeToolUse:
		return toolUseFromRaw(r)
	case TypeToolResult:
		return toolResultFromRaw(r)
	case TypeImage:
		return imageFromRaw(r)
	case TypeOpaque:
		return Opaque{Provider: r.Provider, Kind: r.Kind, Raw: canonicalRaw(r.Raw)}, nil
	case "":
		return nil, errors.New("block without a type")
	default:
		return nil, fmt.Errorf("unknown block type %q", r.Type)
	}
}

func toolUseFromRaw(r rawBlock) (Block, error) {
	in, err := CanonicalInput(r.Input)
	if err != nil {
		return nil, fmt.Errorf("input of tool_use %q: %w", r.ID, err)
	}
	return ToolUse{ID: r.ID, Name: r.Name, Input: in}, nil
}

// toolResultFromRaw reads the content one level deep: a result inside a result would parse the same bytes once a level,
// which lets a small hostile document cost seconds.
func toolResultFromRaw(r rawBlock) (Block, error) {
	out := ToolResult{ToolUseID: r.ToolUseID, IsError: r.IsError}
	content := bytes.TrimSpace(r.Content)
	if len(content) == 0 {
		return out, nil
	}
	if content[0] == '[' {
		if err := checkNested(content); err != nil {
			return nil, fmt.Errorf("tool_result %q: %w", r.ToolUseID, err)
		}
	}
	if err := out.Content.UnmarshalJSON(content); err != nil {
		return nil, fmt.Errorf("tool_result %q: %w", r.ToolUseID, err)
	}
	return out, nil
}

func checkNested(content []byte) error {
	var types []struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(content, &types); err != nil {
		return fmt.Errorf("content is neither a string nor a list of blocks: %w", err)
	}
	for i, t := range types {
		if !fitsResult(t.Type) {
			return fmt.Errorf("block %d: a tool_result holds no %s block", i, t.Type)
		}
	}
	return nil
}

// fitsResult says which blocks may stand inside a tool_result (spec 3.1). Unknown types pass, so that the decoder
// reports them in its own words.
func fitsResult(typ string) bool {
	return typ != TypeToolUse && typ != TypeToolResult && typ != TypeThinking
}

func imageFromRaw(r rawBlock) (Block, error) {
	if r.Source == nil {
		return Image{MediaType: r.MediaType, Data: r.Data}, nil
	}
	if r.Source.Data == "" {
		return nil, errors.New("image source without base64 data")
	}
	return Image{MediaType: r.Source.MediaType, Data: r.Source.Data}, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
