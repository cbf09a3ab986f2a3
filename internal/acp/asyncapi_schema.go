package acp

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf makes the schema of a Go type. Types with a JSON form of their own are described here by hand.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	own := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[json.Number]():     {Type: "number"},
		reflect.TypeFor[RequestID]():       idSchema(),
		reflect.TypeFor[ContentBlock]():    contentSchema(),
	}
	if t != reflect.TypeFor[SessionNotification]() {
		return open(jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: own}))
	}
	update := new(jsonschema.Schema)
	for _, u := range Updates() {
		s, err := open(jsonschema.ForType(reflect.TypeOf(u), &jsonschema.ForOptions{TypeSchemas: own}))
		if err != nil {
			return nil, err
		}
		update.AnyOf = append(update.AnyOf, s)
	}
	own[updateType] = update
	return open(jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: own}))
}

// open lets objects have further fields: peers may send what we do not know.
func open(s *jsonschema.Schema, err error) (*jsonschema.Schema, error) {
	if err != nil {
		return nil, err
	}
	loosen(s)
	return s, nil
}

func loosen(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		loosen(p)
	}
	for _, a := range s.AnyOf {
		loosen(a)
	}
	loosen(s.Items)
}

func idSchema() *jsonschema.Schema {
	limit := MaxIDLength
	return &jsonschema.Schema{Types: []string{"integer", "string", "null"}, MaxLength: &limit}
}

func contentSchema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	return &jsonschema.Schema{
		Type: "object", Required: []string{"type"},
		Properties: map[string]*jsonschema.Schema{
			"type": {Type: "string", Enum: []any{ContentText, ContentImage, ContentAudio, ContentResourceLink, ContentResource}},
			"text": text, "data": text, "mimeType": text, "uri": text, "name": text, "resource": {Type: "object"},
		},
	}
}

func constant(v any) *jsonschema.Schema { return &jsonschema.Schema{Const: &v} }

func object(props map[string]*jsonschema.Schema, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: props, Required: required}
}
