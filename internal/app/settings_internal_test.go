package app

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/config"
	"tidemark/web"
)

// A limit that is configured and not copied would be a lie. The defaults of both sides must meet, too.
func TestWebLimits_CopiesAll(t *testing.T) {
	require.Equal(t, web.DefaultLimits(), webLimits(config.Default().Limits))

	l := config.Default().Limits
	v := reflect.ValueOf(&l).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *int:
			*f = 1000 + i
		case *time.Duration:
			*f = time.Duration(1000+i) * time.Second
		}
	}
	got := reflect.ValueOf(webLimits(l))
	seen := make(map[string]string)
	for i := range got.NumField() {
		name, value := got.Type().Field(i).Name, got.Field(i)
		require.False(t, value.IsZero(), name)
		require.False(t, value.Equal(reflect.ValueOf(web.DefaultLimits()).Field(i)), "%s is not copied", name)
		key := reflect.TypeOf(value.Interface()).Kind().String() + valueText(value)
		require.NotContains(t, seen, key, "%s and %s come from one setting", name, seen[key])
		seen[key] = name
	}
	cfg := config.Default()
	cfg.Limits = l
	s := sessionConfig(cfg, "m", nil)
	require.Equal(t, l.DisconnectGrace, s.Grace)
	require.Equal(t, l.TurnSteps, s.MaxSteps)
	require.Equal(t, l.OutputTokens, s.MaxOutputTokens)
}

func valueText(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok {
		return d.String()
	}
	if v.CanFloat() {
		return time.Duration(v.Float()).String()
	}
	return time.Duration(v.Int()).String()
}
