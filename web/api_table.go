package web

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	"tidemark/internal/acp"
)

// table shows values of one struct type as rows: a column a field, nested structs spread as "outer.inner", everything
// else without a plain form as JSON.
type table struct{ columns []column }

type column struct {
	name string
	path []int
}

func tableOf[T any]() *table {
	t := new(table)
	t.add("", nil, reflect.TypeFor[T]())
	return t
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

func (t *table) add(prefix string, path []int, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		at := append(append([]int(nil), path...), i)
		if spreads(f.Type) {
			t.add(prefix+name+".", at, f.Type)
			continue
		}
		t.columns = append(t.columns, column{prefix + name, at})
	}
}

func spreads(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !t.Implements(textMarshaler) && !t.Implements(jsonMarshaler)
}

func (t *table) header() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.name
	}
	return out
}

func (t *table) row(item any) []string {
	v := reflect.ValueOf(item)
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = cell(v.FieldByIndex(c.path))
	}
	return out
}

// cell shows one value: null as nothing, a string as it is, the rest as JSON has it.
func cell(v reflect.Value) string {
	raw, err := acp.Marshal(v.Interface())
	if err != nil || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return formulaSafe(s)
	}
	return string(raw)
}

// formulaSafe keeps a spreadsheet from running a text as a formula.
func formulaSafe(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n|", rune(s[0])) {
		return "'" + s
	}
	return s
}
