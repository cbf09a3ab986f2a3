package web

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/session"
)

func TestProblems_AreOneTable(t *testing.T) {
	names := map[string]bool{}
	codes := map[acp.Code]bool{}
	for _, p := range problems {
		require.False(t, names[p.Name], p.Name)
		names[p.Name], codes[p.RPC] = true, true
		require.GreaterOrEqual(t, p.Status, 400)
		require.NotEmpty(t, p.Title)
	}
	for code := acp.CodeTooManySessions; code <= acp.CodeBudgetExceeded; code++ {
		require.True(t, codes[code], "no row has the code %d", code)
	}
	require.Equal(t, "internal", problems[len(problems)-1].Name, "the last row is for everything else")
	for _, s := range sentinels {
		require.True(t, names[s.name], s.name)
	}
	for _, code := range []string{session.CodeProviderError, session.CodeBudgetExceeded, session.CodeInterrupted, session.CodeInternal, session.CodeUnpricedModel} {
		require.True(t, names[code], code)
	}
}

// Every sentinel that session exports has a row, also the next one that somebody adds.
func TestProblems_NameEverySentinelOfSession(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/session/errors.go", nil, 0)
	require.NoError(t, err)
	listed := map[string]bool{}
	src, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(src, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			listed[sel.Sel.Name] = true
		}
		return true
	})
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Err") {
			found++
			require.True(t, listed[spec.Names[0].Name], "session.%s is not in the table of errors.go", spec.Names[0].Name)
		}
		return true
	})
	require.GreaterOrEqual(t, found, 10)
}

func TestDescribe(t *testing.T) {
	never := false
	for _, tc := range []struct {
		err    error
		name   string
		status int
		rpc    acp.Code
		detail string
	}{
		{fmt.Errorf("load: %w", session.ErrNotFound), "not_found", http.StatusNotFound, acp.CodeNotFound, "session not found"},
		{fmt.Errorf("/data/x.db: %w", session.ErrStorage), "storage_unavailable", http.StatusServiceUnavailable, acp.CodeInternal, "the database cannot be written"},
		{&session.ParamError{Param: "model", Reason: "not known"}, "invalid_params", http.StatusBadRequest, acp.CodeInvalidParams, "model: not known"},
		{&compaction.KnobError{Key: "compaction.mode", Value: "x", Allowed: "allowed: y"}, "invalid_params", http.StatusBadRequest, acp.CodeInvalidParams, "compaction.mode: x is not allowed; allowed: y"},
		{&auth.ParamError{Param: "role", Value: "x", Allowed: "allowed: y"}, "invalid_params", http.StatusBadRequest, acp.CodeInvalidParams, `role: "x" is not allowed; allowed: y`},
		{&session.TurnError{Code: session.CodeBudgetExceeded, Message: "spent"}, "budget_exceeded", http.StatusPaymentRequired, acp.CodeBudgetExceeded, "spent"},
		{acp.MethodNotFound("x"), "method_not_found", http.StatusMethodNotAllowed, acp.CodeMethodNotFound, `method "x" is not known`},
		{&failure{name: "rate_limited", retryable: &never, retryAfter: time.Second}, "rate_limited", http.StatusTooManyRequests, acp.CodeRateLimited, ""},
		{errors.New("dial tcp 10.0.0.1"), "internal", http.StatusInternalServerError, acp.CodeInternal, "something went wrong here; the server's log says more"},
	} {
		p, f := describe(tc.err)
		require.Equal(t, tc.name, p.Name)
		require.Equal(t, tc.status, p.Status)
		require.Equal(t, tc.rpc, p.RPC)
		require.Equal(t, tc.detail, f.detail)
		require.Equal(t, f.retryable == nil && lookupProblem(p.Name).Retryable, p.Retryable)
	}
}

func TestFormulaSafe(t *testing.T) {
	for in, want := range map[string]string{"": "", "a=1": "a=1", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx"} {
		require.Equal(t, want, formulaSafe(in))
	}
}

func TestOriginPolicy(t *testing.T) {
	p := newOriginPolicy(Config{Origins: []string{"https://Tide.example/"}, Hosts: []string{"10.0.0.7:8080"}})
	for _, tc := range []struct {
		host, origin string
		optional, ok bool
	}{
		{"tide.example", "https://tide.example", false, true},
		{"tide.example", "https://tide.example.evil", false, false},
		{"tide.example", "http://tide.example", false, false}, // another scheme is another origin
		{"tide.example", "", false, false},
		{"tide.example", "", true, true},
		{"10.0.0.7:8080", "", true, true},
		{"10.0.0.7:8081", "", true, false},
		{"evil.example", "", true, false},
		{"127.0.0.1:8080", "http://127.0.0.1:8080", false, true},
		{"localhost:8080", "http://localhost:8080", false, true},
		{"[::1]:8080", "http://[::1]:8080", false, true},
		{"127.0.0.1:8080", "http://localhost:8080", false, false},
		{"127.0.0.1:8080", "http://127.0.0.1:9999", false, false},
		{"localhost.evil.example", "http://localhost.evil.example", false, false},
		{"127.0.0.1:8080", "null", true, false},
	} {
		r := &http.Request{Host: tc.host, Header: http.Header{}}
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		require.Equal(t, tc.ok, p.check(r, tc.optional) == nil, "%s from %q", tc.host, tc.origin)
	}
}
