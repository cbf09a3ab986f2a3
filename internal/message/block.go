package message

import "encoding/json"

// Block is one part of a message: a closed set of [Text], [Thinking], [ToolUse], [ToolResult], [Image] and [Opaque].
type Block interface {
	// Type is the wire name of the block.
	Type() string
	// Units counts what the block adds to a history estimate, in UTF-8 bytes (spec 4.2).
	Units() int
}

// Wire names of blocks.
const (
	TypeText       = "text"
	TypeThinking   = "thinking"
	TypeToolUse    = "tool_use"
	TypeToolResult = "tool_result"
	TypeImage      = "image"
	TypeOpaque     = "opaque"
)

// ImageUnits is what an image counts in an estimate, whatever its size (spec 4.2).
const ImageUnits = 4500

// Text is plain text.
type Text struct{ Text string }

// Thinking is a model's reasoning with the provider's signature; sent back unchanged, left out of history counts.
type Thinking struct {
	Thinking  string
	Signature string
}

// ToolUse is a model's call of a tool. Input is a JSON object, kept as the bytes that came.
type ToolUse struct {
	ID    string
	Name  string
	Input json.RawMessage
}

// ToolResult answers one ToolUse. Content holds Text and Image blocks.
type ToolResult struct {
	ToolUseID string
	Content   Blocks
	IsError   bool
}

// Image is base64 data with its media type.
type Image struct {
	MediaType string
	Data      string
}

// Opaque is a block only one provider understands: sent back unchanged to it, left out elsewhere (spec 3.1).
type Opaque struct {
	Provider string
	Kind     string
	Raw      json.RawMessage
}

// Type implements Block.
func (Text) Type() string { return TypeText }

// Type implements Block.
func (Thinking) Type() string { return TypeThinking }

// Type implements Block.
func (ToolUse) Type() string { return TypeToolUse }

// Type implements Block.
func (ToolResult) Type() string { return TypeToolResult }

// Type implements Block.
func (Image) Type() string { return TypeImage }

// Type implements Block.
func (Opaque) Type() string { return TypeOpaque }

// Units implements Block.
func (b Text) Units() int { return len(b.Text) }

// Units implements Block: thinking is left out of history counts.
func (Thinking) Units() int { return 0 }

// Units implements Block.
func (b ToolUse) Units() int { return len(b.Name) + len(b.Input) }

// Units implements Block.
func (b ToolResult) Units() int { return b.Content.Units() }

// Units implements Block.
func (Image) Units() int { return ImageUnits }

// Units implements Block.
func (b Opaque) Units() int { return len(b.Raw) }
