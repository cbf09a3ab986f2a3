package web

import (
	"fmt"
	"strings"

	"tidemark/internal/acp"
	"tidemark/internal/message"
)

// promptBlocks turns a prompt into blocks of spec 3.1.
func promptBlocks(prompt []acp.ContentBlock) (message.Blocks, error) {
	if len(prompt) == 0 {
		return nil, badParam("prompt", "must not be empty")
	}
	out := make(message.Blocks, 0, len(prompt))
	for i, b := range prompt {
		block, err := promptBlock(b)
		if err != nil {
			return nil, badParam(fmt.Sprintf("prompt[%d]", i), err.Error())
		}
		out = append(out, block)
	}
	return out, nil
}

func promptBlock(b acp.ContentBlock) (message.Block, error) {
	switch b.Type {
	case acp.ContentText:
		if strings.TrimSpace(b.Text) == "" {
			return nil, fmt.Errorf("must not be blank")
		}
		return message.Text{Text: b.Text}, nil
	case acp.ContentImage:
		return imageBlock(b.MimeType, b.Data)
	case acp.ContentResourceLink:
		return linkBlock(b)
	case acp.ContentResource:
		return resourceBlock(b.Resource)
	}
	return nil, fmt.Errorf("type %.40q is not accepted; text, image, resource_link and resource are", b.Type)
}

func imageBlock(mimeType, data string) (message.Block, error) {
	b := message.Image{MediaType: mimeType, Data: data}
	return b, b.Check()
}

// linkBlock passes a link on as text: the server never opens it.
func linkBlock(b acp.ContentBlock) (message.Block, error) {
	if b.URI == "" {
		return nil, fmt.Errorf("a resource_link needs a uri")
	}
	return message.Text{Text: fmt.Sprintf("[%s](%s)", b.Name, b.URI)}, nil
}

func resourceBlock(r *acp.Resource) (message.Block, error) {
	switch {
	case r == nil || r.URI == "":
		return nil, fmt.Errorf("a resource needs a uri and a text")
	case r.Text != nil:
		return message.Text{Text: fmt.Sprintf("<resource uri=%q>\n%s\n</resource>", r.URI, *r.Text)}, nil
	case r.Blob != nil && message.IsImageType(r.MimeType):
		return imageBlock(r.MimeType, *r.Blob)
	}
	return nil, fmt.Errorf("a resource is text, or a blob of an image type")
}
