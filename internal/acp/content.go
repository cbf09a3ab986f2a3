package acp

import "encoding/json"

// Types of content blocks.
const (
	ContentText         = "text"
	ContentImage        = "image"
	ContentAudio        = "audio"
	ContentResourceLink = "resource_link"
	ContentResource     = "resource"
)

// ContentBlock is one part of a prompt or an answer: the fields of its type are set, the others empty.
type ContentBlock struct {
	Type     string
	Text     string    // text
	Data     string    // image, audio: base64
	MimeType string    // image, audio, resource_link
	URI      string    // image, resource_link
	Name     string    // resource_link
	Resource *Resource // resource
}

// Resource is embedded content: text or a base64 blob.
type Resource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
}

// RawBlocks is a list of blocks of spec 3.1 in JSON, which the protocol passes on unread.
type RawBlocks = json.RawMessage

// TextBlock makes a text.
func TextBlock(s string) ContentBlock { return ContentBlock{Type: ContentText, Text: s} }

// ImageBlock makes an image of base64 data.
func ImageBlock(mimeType, data string) ContentBlock {
	return ContentBlock{Type: ContentImage, MimeType: mimeType, Data: data}
}

// wireBlock has a pointer wherever a type requires the field, so that an empty text is still written.
type wireBlock struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text,omitempty"`
	Data     *string   `json:"data,omitempty"`
	MimeType *string   `json:"mimeType,omitempty"`
	Name     *string   `json:"name,omitempty"`
	URI      *string   `json:"uri,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
}

// MarshalJSON writes the fields of the block's type.
func (b ContentBlock) MarshalJSON() ([]byte, error) {
	w := wireBlock{Type: b.Type}
	switch b.Type {
	case ContentText:
		w.Text = &b.Text
	case ContentImage, ContentAudio:
		w.Data, w.MimeType, w.URI = &b.Data, &b.MimeType, optional(b.URI)
	case ContentResourceLink:
		w.Name, w.URI, w.MimeType = &b.Name, &b.URI, optional(b.MimeType)
	case ContentResource:
		w.Resource = b.Resource
	}
	return Marshal(w)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// UnmarshalJSON reads a block. Whether its type is accepted is for the method to say.
func (b *ContentBlock) UnmarshalJSON(raw []byte) error {
	var w wireBlock
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	*b = ContentBlock{
		Type: w.Type, Text: value(w.Text), Data: value(w.Data), MimeType: value(w.MimeType), URI: value(w.URI),
		Name: value(w.Name), Resource: w.Resource,
	}
	return nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
