package acp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
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
		return v, shapeError("", err)
	}
	return v, nil
}

// shapeError says what a value must be, in JSON's words and not in those of our types. root names the value that was
// decoded, "" for the parameters.
func shapeError(root string, err error) *Error {
	if field, want, ok := WrongType(err); ok && root+field != "" {
		return InvalidParams(strings.Trim(root+"."+field, "."), want)
	}
	if root == "" {
		root = "params"
	}
	return InvalidParams(root, err.Error())
}

// WrongType reads a decoding error: the field that has a wrong type ("" for the value itself), and what it must be.
func WrongType(err error) (field, want string, ok bool) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return "", "", false
	}
	return wrong.Field, "must be " + typeName(wrong.Type.Kind()), true
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
