package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/acp/acptest"
)

func TestDecode(t *testing.T) {
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","method":"m","params":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	id := func(n int) string { return `{"jsonrpc":"2.0","id":"` + strings.Repeat("é", n) + `","method":"m"}` }
	for _, tc := range []struct {
		name, frame string
		kind        acp.Kind
		code        acp.Code
	}{
		{"request", `{"jsonrpc":"2.0","id":0,"method":"m","params":{}}`, acp.KindRequest, 0},
		{"string id", `{"jsonrpc":"2.0","id":"a","method":"m"}`, acp.KindRequest, 0},
		{"null id is an id", `{"jsonrpc":"2.0","id":null,"method":"m"}`, acp.KindRequest, 0},
		{"notification", ` {"jsonrpc":"2.0","method":"m"} `, acp.KindNotification, 0},
		{"result", `{"jsonrpc":"2.0","id":1,"result":null}`, acp.KindResponse, 0},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":{"details":"y"}}}`, acp.KindResponse, 0},
		{"depth at the limit", deep(acp.MaxDepth - 1), acp.KindNotification, 0},
		{"id at the limit", id(acp.MaxIDLength), acp.KindRequest, 0},

		{"empty", ``, 0, acp.CodeParseError},
		{"not JSON", `{"jsonrpc":`, 0, acp.CodeParseError},
		{"two values", `{} {}`, 0, acp.CodeParseError},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"m"}]`, 0, acp.CodeInvalidRequest},
		{"empty batch", `[]`, 0, acp.CodeInvalidRequest},
		{"number", `3`, 0, acp.CodeInvalidRequest},
		{"too deep", deep(acp.MaxDepth), 0, acp.CodeInvalidRequest},
		{"id too long", id(acp.MaxIDLength + 1), 0, acp.CodeInvalidRequest},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"m"}`, 0, acp.CodeInvalidRequest},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"m"}`, 0, acp.CodeInvalidRequest},
		{"no version", `{"id":1,"method":"m"}`, 0, acp.CodeInvalidRequest},
		{"method is a number", `{"jsonrpc":"2.0","id":1,"method":7}`, 0, acp.CodeInvalidRequest},
		{"neither", `{"jsonrpc":"2.0","id":1}`, 0, acp.CodeInvalidRequest},
		{"both", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, 0, acp.CodeInvalidRequest},
		{"result without id", `{"jsonrpc":"2.0","result":{}}`, 0, acp.CodeInvalidRequest},
		{"error without code", `{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`, 0, acp.CodeInvalidRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env, err := acp.Decode([]byte(tc.frame))
			if tc.code != 0 {
				require.NotNil(t, err)
				require.Equal(t, tc.code, err.Code)
				return
			}
			require.Nil(t, err)
			require.Equal(t, tc.kind, env.Kind())
		})
	}
}

// A refused frame is answered under the id of its request, so that the sender knows which one it was.
func TestDecode_KeepsTheIDOfARefusedFrame(t *testing.T) {
	env, err := acp.Decode([]byte(`{"jsonrpc":"1.0","id":7,"method":"m"}`))
	require.NotNil(t, err)
	require.Equal(t, acp.IntID(7), env.ID)
}

func TestRequestID_EqualIDsAreEqual(t *testing.T) {
	var a, b, c acp.RequestID
	require.NoError(t, json.Unmarshal([]byte(`"A"`), &a))
	require.NoError(t, json.Unmarshal([]byte(`"A"`), &b))
	require.NoError(t, json.Unmarshal([]byte(`1`), &c))
	require.Equal(t, a, b)
	require.Equal(t, acp.IntID(1), c)
	require.NotEqual(t, c.String(), func() string {
		var s acp.RequestID
		_ = json.Unmarshal([]byte(`"1"`), &s)
		return s.String()
	}())
}

func TestDecodeParams_NamesTheWrongField(t *testing.T) {
	_, err := acp.DecodeParams[acp.PromptRequest](json.RawMessage(`{"sessionId":5}`))
	require.NotNil(t, err)
	require.Equal(t, acp.CodeInvalidParams, err.Code)
	require.Equal(t, "sessionId", err.Data.Param)
	require.Contains(t, err.Message, "must be a string")

	_, err = acp.DecodeParams[acp.PromptRequest](json.RawMessage(`[1]`))
	require.NotNil(t, err)
	_, err = acp.DecodeParams[acp.Empty](nil)
	require.Nil(t, err)
}

// Every example is a test vector: it validates against the public schema and comes back from its bytes unchanged.
func TestExamples_ValidateAgainstThePublicSchema(t *testing.T) {
	schema := acptest.LoadSchema(t)
	for _, spec := range acp.Specs() {
		require.NotEmpty(t, spec.Examples, spec.Method)
		for _, ex := range spec.Examples {
			frame, err := acp.ExampleFrame(spec, ex)
			require.NoError(t, err)
			env, bad := acp.Decode(frame)
			require.Nil(t, bad)
			require.NoError(t, schema.Call(spec.Method, env.Params), "%s %s: %s", spec.Method, ex.Name, frame)
			if spec.Result == nil {
				continue
			}
			raw, err := acp.Marshal(ex.Result)
			require.NoError(t, err)
			require.NoError(t, schema.Answer(spec.Method, raw), "%s %s: %s", spec.Method, ex.Name, raw)
		}
	}
}

func TestExamples_CoverEveryUpdateKind(t *testing.T) {
	seen := map[string]bool{}
	for _, spec := range acp.Specs() {
		if spec.Method == acp.MethodUpdate {
			for _, ex := range spec.Examples {
				seen[ex.Name] = true
			}
		}
	}
	for _, kind := range []acp.UpdateKind{
		acp.UpdateUserMessage, acp.UpdateAgentMessage, acp.UpdateAgentThought, acp.UpdateToolCall, acp.UpdateToolCallUpdate,
		acp.UpdateUsage, acp.UpdateCompaction, acp.UpdateCompactionSummary, acp.UpdateCommands, acp.UpdateConfigOptions,
		acp.UpdateSessionInfo,
	} {
		require.True(t, seen[string(kind)], kind)
	}
}

// An update kind that the public client does not know would be dropped by it without a sound.
func TestSchema_RefusesAnUnknownUpdate(t *testing.T) {
	schema := acptest.LoadSchema(t)
	require.Error(t, schema.Call(acp.MethodUpdate, json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tidemark"}}`)))
}

// The same value gives the same bytes, whatever the order its meta was built in.
func TestMarshal_IsDeterministic(t *testing.T) {
	a, err := acp.Marshal(acp.Meta{}.With("b", 1).With("a", "<&>"))
	require.NoError(t, err)
	b, err := acp.Marshal(acp.Meta{}.With("a", "<&>").With("b", 1))
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
	require.Equal(t, `{"a":"<&>","b":1}`, string(a))
}

func TestContentBlock_KeepsAnEmptyText(t *testing.T) {
	raw, err := acp.Marshal(acp.TextBlock(""))
	require.NoError(t, err)
	require.Equal(t, `{"type":"text","text":""}`, string(raw))
}

func FuzzDecode(f *testing.F) {
	for _, spec := range acp.Specs() {
		for _, ex := range spec.Examples {
			frame, err := acp.ExampleFrame(spec, ex)
			require.NoError(f, err)
			f.Add(frame)
		}
	}
	f.Add([]byte(`[{"jsonrpc":"2.0"}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\ud800","method":"x"}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		env, err := acp.Decode(frame)
		if err != nil {
			require.NotZero(t, err.Code)
			return
		}
		// What was accepted can be answered, and is one of the three kinds.
		if env.Kind() == acp.KindRequest {
			answer, encErr := acp.EncodeResult(env.ID, nil)
			require.NoError(t, encErr)
			back, bad := acp.Decode(answer)
			require.Nil(t, bad)
			require.Equal(t, env.ID, back.ID)
		}
		_, _ = acp.DecodeParams[acp.PromptRequest](env.Params)
		_, _ = acp.DecodeParams[acp.NewSessionRequest](env.Params)
	})
}

func TestMetaRead_SpeaksJSON(t *testing.T) {
	var script struct {
		Steps []string `json:"steps"`
	}
	for raw, want := range map[string]string{
		`3`:             `_meta["k"]: must be an object`,
		`{"steps":"x"}`: `_meta["k"].steps: must be a list`,
	} {
		err := acp.Meta{"k": json.RawMessage(raw)}.Read("k", &script)
		require.NotNil(t, err, raw)
		require.Equal(t, want, err.Message)
		require.Equal(t, acp.CodeInvalidParams, err.Code)
	}
}
