package acp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
)

// Each example of the document validates against the schema beside it, and each reference leads somewhere.
func TestAsyncAPI_ExamplesAreVectors(t *testing.T) {
	raw, err := acp.AsyncAPI()
	require.NoError(t, err)
	var doc struct {
		AsyncAPI string `json:"asyncapi"`
		Channels map[string]struct {
			Messages map[string]struct {
				Ref string `json:"$ref"`
			} `json:"messages"`
		} `json:"channels"`
		Operations map[string]json.RawMessage `json:"operations"`
		Components struct {
			Messages map[string]struct {
				Payload  *jsonschema.Schema `json:"payload"`
				Examples []struct {
					Payload any `json:"payload"`
				} `json:"examples"`
			} `json:"messages"`
		} `json:"components"`
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	require.Equal(t, "3.0.0", doc.AsyncAPI)
	require.Len(t, doc.Operations, len(acp.Specs()))
	require.Len(t, doc.Channels["acp"].Messages, len(doc.Components.Messages))
	for name, m := range doc.Components.Messages {
		require.Equal(t, "#/components/messages/"+name, doc.Channels["acp"].Messages[name].Ref)
		require.NotEmpty(t, m.Examples, name)
		resolved, err := m.Payload.Resolve(nil)
		require.NoError(t, err, name)
		for _, ex := range m.Examples {
			require.NoError(t, resolved.Validate(ex.Payload), name)
		}
	}
}
