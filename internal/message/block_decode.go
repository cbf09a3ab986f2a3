package message

import (
	"bytes"
	"encoding/json"
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
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		if s != "" {
			*bs = Blocks{Text{Text: s}}
		}
		return nil
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

func fromRaw(r rawBlock) (Block, error) {
	switch r.Type {
	case TypeText:
		return Text{Text: deref(r.Text)}, nil
	case TypeThinking:
		return Thinking{Thinking: deref(r.Thinking), Signature: r.Signature}, nil
	case TypeToolUse:
		return toolUseFromRaw(r)
	case TypeToolResult:
		var c Blocks
		if len(r.Content) > 0 {
			if err := c.UnmarshalJSON(r.Content); err != nil {
				return nil, err
			}
		}
		return ToolResult{ToolUseID: r.ToolUseID, Content: c, IsError: r.IsError}, nil
	case TypeImage:
		if r.Source != nil {
			return Image{MediaType: r.Source.MediaType, Data: r.Source.Data}, nil
		}
		return Image{MediaType: r.MediaType, Data: r.Data}, nil
	case TypeOpaque:
		return Opaque{Provider: r.Provider, Kind: r.Kind, Raw: r.Raw}, nil
	case "":
		return nil, fmt.Errorf("block without a type")
	default:
		return nil, fmt.Errorf("unknown block type %q", r.Type)
	}
}

func toolUseFromRaw(r rawBlock) (Block, error) {
	in := bytes.TrimSpace(r.Input)
	if len(in) == 0 || bytes.Equal(in, []byte("null")) {
		in = []byte("{}")
	}
	if in[0] != '{' {
		return nil, fmt.Errorf("input of tool_use %q is not an object", r.ID)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, in); err != nil {
		return nil, err
	}
	return ToolUse{ID: r.ID, Name: r.Name, Input: compact.Bytes()}, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
