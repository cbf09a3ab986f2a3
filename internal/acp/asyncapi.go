package acp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// AsyncAPI describes the session socket as an AsyncAPI 3 document, made from the Go types of this package; its examples
// are test vectors (protocol section 3, "Docs").
var AsyncAPI = sync.OnceValues(func() (json.RawMessage, error) {
	d := document{
		AsyncAPI: "3.0.0",
		Info: info{"Tidemark sessions", "1", "ACP v1 over JSON-RPC 2.0 text frames, one message a frame. " +
			"Methods that start with _tidemark and _meta keys that start with tidemark/ are extensions."},
		Channels:   map[string]channel{channelName: {Address: "/acp", Messages: map[string]ref{}}},
		Operations: map[string]operation{},
		Components: components{Messages: map[string]message{}},
	}
	for _, spec := range Specs() {
		if err := d.add(spec); err != nil {
			return nil, fmt.Errorf("describe %s: %w", spec.Method, err)
		}
	}
	return Marshal(d)
})

const channelName = "acp"

type (
	document struct {
		AsyncAPI   string               `json:"asyncapi"`
		Info       info                 `json:"info"`
		Channels   map[string]channel   `json:"channels"`
		Operations map[string]operation `json:"operations"`
		Components components           `json:"components"`
	}
	info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	ref struct {
		Ref string `json:"$ref"`
	}
	channel struct {
		Address  string         `json:"address"`
		Messages map[string]ref `json:"messages"`
	}
	operation struct {
		Action   string     `json:"action"`
		Channel  ref        `json:"channel"`
		Summary  string     `json:"summary"`
		Messages []ref      `json:"messages"`
		Reply    *operReply `json:"reply,omitempty"`
	}
	operReply struct {
		Channel  ref   `json:"channel"`
		Messages []ref `json:"messages"`
	}
	components struct {
		Messages map[string]message `json:"messages"`
	}
	message struct {
		Name        string             `json:"name"`
		ContentType string             `json:"contentType"`
		Payload     *jsonschema.Schema `json:"payload"`
		Examples    []messageExample   `json:"examples"`
	}
	messageExample struct {
		Name    string          `json:"name,omitempty"`
		Payload json.RawMessage `json:"payload"`
	}
)

// add describes one method: its message, the message of its answer and the operation that binds them.
func (d *document) add(s MethodSpec) error {
	name := strings.NewReplacer("/", ".", "$", "").Replace(s.Method)
	params, err := schemaOf(s.Params)
	if err != nil {
		return err
	}
	call := message{Name: s.Method, ContentType: "application/json", Payload: callSchema(s, params)}
	answer := message{Name: s.Method + " answer", ContentType: "application/json"}
	for _, ex := range s.Examples {
		if err := addExample(s, ex, &call, &answer); err != nil {
			return err
		}
	}
	d.message(name, call)
	op := operation{Action: action(s.From), Channel: channelRef(), Summary: s.Summary, Messages: []ref{messageRef(name)}}
	if s.Result != nil {
		result, err := schemaOf(s.Result)
		if err != nil {
			return err
		}
		answer.Payload = object(map[string]*jsonschema.Schema{"jsonrpc": constant("2.0"), "id": idSchema(), "result": result}, "jsonrpc", "id", "result")
		d.message(name+".answer", answer)
		op.Reply = &operReply{channelRef(), []ref{messageRef(name + ".answer")}}
	}
	d.Operations[name] = op
	return nil
}

func (d *document) message(name string, m message) {
	d.Components.Messages[name] = m
	d.Channels[channelName].Messages[name] = ref{"#/components/messages/" + name}
}

func addExample(s MethodSpec, ex Example, call, answer *message) error {
	frame, err := ExampleFrame(s, ex)
	if err != nil {
		return err
	}
	call.Examples = append(call.Examples, messageExample{ex.Name, frame})
	if s.Result == nil {
		return nil
	}
	frame, err = EncodeResult(IntID(1), ex.Result)
	answer.Examples = append(answer.Examples, messageExample{ex.Name, frame})
	return err
}

// ExampleFrame is the frame of an example's call.
func ExampleFrame(s MethodSpec, ex Example) ([]byte, error) {
	if s.Result == nil {
		return EncodeNotification(s.Method, ex.Params)
	}
	return EncodeRequest(IntID(1), s.Method, ex.Params)
}

// action is seen from the server, whose document this is.
func action(from Side) string {
	if from == FromServer {
		return "send"
	}
	return "receive"
}

func channelRef() ref { return ref{"#/channels/" + channelName} }

func messageRef(name string) ref { return ref{"#/channels/" + channelName + "/messages/" + name} }

func callSchema(s MethodSpec, params *jsonschema.Schema) *jsonschema.Schema {
	props := map[string]*jsonschema.Schema{"jsonrpc": constant("2.0"), "method": constant(s.Method), "params": params}
	required := []string{"jsonrpc", "method", "params"}
	if s.Result != nil {
		props["id"], required = idSchema(), append(required, "id")
	}
	return object(props, required...)
}

var updateType = reflect.TypeFor[SessionUpdate]()
