package acp

import (
	"bytes"
	"encoding/json"
)

// Marshal encodes a value without escaping <, > and &, so that text stays readable and small on the wire.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// EncodeRequest encodes a request.
func EncodeRequest(id RequestID, method string, params any) ([]byte, error) {
	return encodeCall(&id, method, params)
}

// EncodeNotification encodes a notification.
func EncodeNotification(method string, params any) ([]byte, error) {
	return encodeCall(nil, method, params)
}

func encodeCall(id *RequestID, method string, params any) ([]byte, error) {
	raw, err := Marshal(params)
	if err != nil {
		return nil, err
	}
	return Marshal(wireEnvelope{JSONRPC: "2.0", ID: id, Method: &method, Params: raw})
}

// EncodeResult encodes the answer to a request; a nil result is sent as {}.
func EncodeResult(id RequestID, result any) ([]byte, error) {
	if result == nil {
		result = struct{}{}
	}
	raw, err := Marshal(result)
	if err != nil {
		return nil, err
	}
	return Marshal(wireEnvelope{JSONRPC: "2.0", ID: &id, Result: raw})
}

// EncodeError encodes the refusal of a request; an id that could not be read is null.
func EncodeError(id RequestID, e *Error) ([]byte, error) {
	if id.IsZero() {
		id = NullID
	}
	return Marshal(wireEnvelope{JSONRPC: "2.0", ID: &id, Error: e})
}
