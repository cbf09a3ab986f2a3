// Package acptest has what tests of the session protocol need: a client that records every frame, and the public JSON
// schema to validate frames against.
package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tidemark/internal/acp"
)

// schemaFile is where the pinned npm package has its schema, below the module.
const schemaFile = "e2e/node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"

// Schema validates messages against the definitions of their methods. The schema's root would accept anything.
type Schema struct {
	params  map[string]*jsonschema.Schema
	results map[string]*jsonschema.Schema
}

// LoadSchema reads the schema of the public package. The test is skipped when that is not installed.
func LoadSchema(tb testing.TB) *Schema {
	tb.Helper()
	s, err := loadOnce(filepath.Join(ModuleRoot(tb), schemaFile))
	if os.IsNotExist(err) {
		tb.Skipf("skipped: %s is not there; run 'npm ci' in e2e", schemaFile)
	}
	if err != nil {
		tb.Fatalf("schema of the public package: %v", err)
	}
	return s
}

var loaded struct {
	sync.Mutex
	schema *Schema
}

func loadOnce(path string) (*Schema, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.schema != nil {
		return loaded.schema, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	loaded.schema, err = compile(raw)
	return loaded.schema, err
}

// ModuleRoot is the folder of go.mod.
func ModuleRoot(tb testing.TB) string {
	tb.Helper()
	_, file, _, _ := runtime.Caller(0)
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			tb.Fatal("no go.mod above " + file)
		}
	}
}

func compile(raw []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	var defs struct {
		Defs map[string]struct {
			Method string `json:"x-method"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &defs); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("acp.json", doc); err != nil {
		return nil, err
	}
	s := &Schema{make(map[string]*jsonschema.Schema), make(map[string]*jsonschema.Schema)}
	for name, def := range defs.Defs {
		if def.Method == "" {
			continue
		}
		compiled, err := c.Compile("acp.json#/$defs/" + name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "Response") {
			s.results[def.Method] = compiled
		} else {
			s.params[def.Method] = compiled
		}
	}
	return s, nil
}

// Call validates the parameters of a request or a notification. Methods of ours that the schema leaves open pass.
func (s *Schema) Call(method string, params json.RawMessage) error {
	return check(s.params, method, params)
}

// Answer validates the result of a request.
func (s *Schema) Answer(method string, result json.RawMessage) error {
	return check(s.results, method, result)
}

func check(defs map[string]*jsonschema.Schema, method string, raw json.RawMessage) error {
	def, ok := defs[method]
	if !ok {
		if strings.HasPrefix(method, "_") {
			return nil
		}
		return fmt.Errorf("the schema knows no method %q", method)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return def.Validate(v)
}

// Envelope validates a frame. method names the request that a response answers.
func (s *Schema) Envelope(env acp.Envelope, method string) error {
	if env.Kind() != acp.KindResponse {
		return s.Call(env.Method, env.Params)
	}
	if env.Error != nil {
		return nil // its shape was checked by the decoder
	}
	return s.Answer(method, env.Result)
}
