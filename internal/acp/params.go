package acp

import (
	"encoding/json"
	"errors"
	"reflect"
)

// DecodeParams reads the parameters of a method. Unknown fields pass; a wrong type is refused by the field's name.
func DecodeParams[T any](raw json.RawMessage) (T, *Error) {
	var v T
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw[0] != '{' {
		return v, InvalidParams("params", "must be an object")
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, paramError(err)
	}
	return v, nil
}

func paramError(err error) *Error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		return InvalidParams(wrongType.Field, "must be "+typeName(wrongType.Type.Kind()))
	}
	return InvalidParams("params", err.Error())
}

// typeName says in JSON's words what a Go kind is.
func typeName(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "an integer"
	}
}
