package store_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// fill gives every field of a value something of its own, so that a column that was forgotten shows. Fields added to a
// record later are covered without a change here.
func fill[T any](t testing.TB) T {
	t.Helper()
	var v T
	n := 0
	fillValue(t, reflect.ValueOf(&v).Elem(), &n)
	return v
}

var special = map[reflect.Type]func(n int) any{
	reflect.TypeFor[time.Time](): func(n int) any { return start.Add(time.Duration(n) * time.Second) },
	reflect.TypeFor[pricing.USD](): func(n int) any {
		return pricing.Must(fmt.Sprintf("%d.%012d", n, n))
	},
	reflect.TypeFor[json.RawMessage](): func(n int) any {
		return json.RawMessage(fmt.Sprintf(`{"n":%d,"big":9007199254740993}`, n))
	},
	reflect.TypeFor[compaction.Specific](): func(n int) any {
		return compaction.Specific{Text: fmt.Sprint("word", n), Calls: 1, Texts: 2, Users: 3, Seen: 4, Hits: 5, Marks: 6, Age: 7, At: 1}
	},
	reflect.TypeFor[message.Blocks](): func(int) any { return everyBlock() },
}

func fillValue(t testing.TB, v reflect.Value, n *int) {
	*n++
	if f, ok := special[v.Type()]; ok {
		v.Set(reflect.ValueOf(f(*n)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("v%d é 😀 \x00 \"", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(*n % 200))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(t, v.Index(0), n)
		fillValue(t, v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(t, key, n)
		fillValue(t, value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			require.True(t, v.Type().Field(i).IsExported(), "%s has a hidden field", v.Type())
			fillValue(t, v.Field(i), n)
		}
	default:
		t.Fatalf("cannot fill %s", v.Type())
	}
}

// everyBlock is one block of each type, with what a JSON round trip likes to lose.
func everyBlock() message.Blocks {
	return message.Blocks{
		message.Text{Text: "line\n<b> & \u2028 \x00 日本 😀"},
		message.Thinking{Thinking: "hm", Signature: "sig=="},
		message.ToolUse{ID: "t1", Name: "read", Input: json.RawMessage(`{"n":9007199254740993,"path":"a b"}`)},
		message.ToolResult{ToolUseID: "t1", IsError: true, Content: message.Blocks{
			message.Text{Text: "no"}, message.Image{MediaType: "image/png", Data: "aGk="},
		}},
		message.Image{MediaType: "image/jpeg", Data: "aGk="},
		message.Opaque{Provider: "anthropic", Kind: "redacted_thinking", Raw: json.RawMessage(`{"data":"x"}`)},
	}
}

// same compares by value; amounts and times by their own Equal.
func same[T any](t tb, want, got T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
}
