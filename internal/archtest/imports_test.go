package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "tidemark"

// allowed lists, per package, the packages of this module that its non-test
// files may import. Paths are relative to the module; libraries are not
// restricted here. A "/*" entry covers each package directly below.
var allowed = map[string][]string{
	"internal/message": {},
	"internal/model":   {"internal/message"},
	"internal/pricing": {"internal/message", "internal/model"},

	"internal/transcript": {"internal/message"},
	// Finds transcripts for tests and benchmarks that measure over real ones.
	"internal/transcript/corpus": {},
	// Pricing, because a client that adds up bills must not do it in floats.
	"internal/replay": {"internal/message", "internal/acp", "internal/transcript", "internal/pricing"},

	"internal/auth":   {},
	"internal/memory": {},
	"internal/acp":    {},
	// For the table of knobs alone: ranges and spellings of the compaction settings stand beside what they steer, and a
	// file is checked against the same table as a session's overrides.
	"internal/config": {"internal/compaction"},

	"internal/event":    {"internal/message", "internal/pricing"},
	"internal/alert":    {"internal/event", "internal/pricing"},
	"internal/provider": {"internal/message", "internal/model"},
	// One wire API each; they know neither one another nor who asks. Model, for
	// the card that each answers with.
	"internal/provider/*": {"internal/message", "internal/model", "internal/provider"},
	"internal/tool":       {"internal/message", "internal/provider", "internal/memory"},
	"internal/compaction": {"internal/message", "internal/model", "internal/pricing", "internal/provider"},

	// Not internal/batch: batches are offline work and a live turn must never
	// wait for one.
	"internal/session": {
		"internal/message", "internal/model", "internal/event", "internal/provider",
		"internal/pricing", "internal/compaction", "internal/tool", "internal/memory",
	},
	"internal/store": {
		"internal/message", "internal/model", "internal/pricing", "internal/auth", "internal/memory",
		"internal/event", "internal/provider", "internal/tool", "internal/compaction", "internal/session",
		"internal/batch", "internal/eval",
	},

	"internal/batch": {"internal/message", "internal/provider", "internal/pricing"},
	"internal/eval": {
		"internal/message", "internal/provider", "internal/pricing", "internal/compaction", "internal/batch",
	},
	"internal/bench": {
		"internal/message", "internal/model", "internal/pricing", "internal/transcript", "internal/compaction",
		"internal/session", "internal/event", "internal/batch", "internal/provider",
	},

	"views":  {"internal/message", "internal/pricing"},
	"static": {},
	"web": {
		"internal/acp", "internal/auth", "internal/session", "internal/event", "internal/message", "internal/model",
		"internal/pricing", "internal/compaction", "internal/tool", "internal/transcript", "views", "static",
	},

	"cmd/server":        {"internal/app", "internal/config", "internal/replay", "internal/bench", "internal/eval"},
	"internal/archtest": {},
}

// app wires everything, and stands below these only.
const app = "internal/app"

var aboveApp = []string{app, "cmd/server", "e2e"}

// listed is the part of "go list -json" that the rules look at.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImports(t *testing.T) {
	pkgs := list(t)
	require.NotEmpty(t, pkgs)
	for _, problem := range check(pkgs) {
		t.Error(problem)
	}
}

// A misspelled entry would allow nothing and forbid nothing without a sound.
func TestTableNamesOnlyPackagesItKnows(t *testing.T) {
	for pkg, imports := range allowed {
		for _, imported := range imports {
			_, known := rule(imported)
			require.True(t, known || imported == app, "%s may import %s, which the table does not list", pkg, imported)
			require.NotEqual(t, pkg, imported)
		}
	}
}

func TestTableHasNoCycle(t *testing.T) {
	const visiting, done = 1, 2
	state := map[string]int{}
	var visit func(pkg string, trail []string)
	visit = func(pkg string, trail []string) {
		trail = append(trail, pkg)
		require.NotEqual(t, visiting, state[pkg], "cycle: %s", strings.Join(trail, " -> "))
		if state[pkg] == done {
			return
		}
		state[pkg] = visiting
		for _, imported := range allowed[pkg] {
			visit(imported, trail)
		}
		state[pkg] = done
	}
	for pkg := range allowed {
		visit(pkg, nil)
	}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		pkg  listed
		want string // part of the only problem, or nothing for none
	}{
		{"allowed", listed{ImportPath: "tidemark/internal/model", Imports: []string{"tidemark/internal/message", "fmt"}}, ""},
		{"library", listed{ImportPath: "tidemark/internal/message", Imports: []string{"tidemarkets.example/x"}}, ""},
		{"up the house", listed{ImportPath: "tidemark/internal/message", Imports: []string{"tidemark/internal/session"}}, "internal/message imports internal/session"},
		{"store is for app", listed{ImportPath: "tidemark/web", Imports: []string{"tidemark/internal/store"}}, "web imports internal/store"},
		{"app may", listed{ImportPath: "tidemark/internal/app", Imports: []string{"tidemark/internal/store", "tidemark/internal/config", "tidemark/web"}}, ""},
		{"app never imports main", listed{ImportPath: "tidemark/internal/app", Imports: []string{"tidemark/cmd/server"}}, "internal/app imports cmd/server"},
		{"e2e may", listed{ImportPath: "tidemark/e2e", Imports: []string{"tidemark/internal/app", "tidemark/internal/store"}}, ""},
		{"adapter", listed{ImportPath: "tidemark/internal/provider/sim", Imports: []string{"tidemark/internal/provider"}}, ""},
		{"adapter beside", listed{ImportPath: "tidemark/internal/provider/sim", Imports: []string{"tidemark/internal/provider/openai"}}, "internal/provider/sim imports internal/provider/openai"},
		{"adapter below", listed{ImportPath: "tidemark/internal/provider/openai/deep"}, "not in the table"},
		{"unknown", listed{ImportPath: "tidemark/internal/utils"}, "not in the table"},
		{"test reaches down", listed{ImportPath: "tidemark/web", TestImports: []string{"tidemark/internal/store"}}, ""},
		{"test reaches up", listed{ImportPath: "tidemark/web", XTestImports: []string{"tidemark/internal/app"}}, "a test of web imports internal/app"},
		{"test of app", listed{ImportPath: "tidemark/internal/app", XTestImports: []string{"tidemark/internal/app"}}, ""},
		{"test of main", listed{ImportPath: "tidemark/cmd/server", TestImports: []string{"tidemark/internal/app"}}, ""},
		{"test support", listed{ImportPath: "tidemark/internal/provider/providertest", Imports: []string{"tidemark/internal/message", "tidemark/internal/store"}}, ""},
		{"test support reaches up", listed{ImportPath: "tidemark/internal/store/storetest", Imports: []string{"tidemark/internal/app"}}, "internal/store/storetest imports internal/app"},
		{"test support in the product", listed{ImportPath: "tidemark/internal/app", Imports: []string{"tidemark/internal/store/storetest"}}, "internal/app imports internal/store/storetest"},
		{"test support in a test", listed{ImportPath: "tidemark/internal/store", XTestImports: []string{"tidemark/internal/store/storetest"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			problems := check([]listed{tc.pkg})
			if tc.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], tc.want)
		})
	}
}

// check returns one line for each import or package that breaks a rule.
func check(pkgs []listed) []string {
	var problems []string
	for _, p := range pkgs {
		pkg := relative(p.ImportPath)
		may, known := rule(pkg)
		if !known {
			problems = append(problems, fmt.Sprintf(
				"%s is not in the table of internal/archtest: add it with what it may import", pkg))
			continue
		}
		for _, imported := range own(p.Imports) {
			if !may(imported) {
				problems = append(problems, fmt.Sprintf("%s imports %s, which the import rules do not allow", pkg, imported))
			}
		}
		// Tests start real things, so they may reach sideways, but never into
		// the program that is built on top of what they test.
		for _, imported := range own(append(slices.Clone(p.TestImports), p.XTestImports...)) {
			if isAboveApp(imported) && !isAboveApp(pkg) {
				problems = append(problems, fmt.Sprintf("a test of %s imports %s, which stands above it", pkg, imported))
			}
		}
	}
	return problems
}

// rule returns what a package's non-test files may import.
func rule(pkg string) (may func(imported string) bool, known bool) {
	switch {
	case within(pkg, "e2e"):
		return func(string) bool { return true }, true
	case pkg == app:
		return func(imported string) bool { return !isAboveApp(imported) && !isTestSupport(imported) }, true
	}
	list, known := allowed[pkg]
	if !known {
		// Test support counts as test code, wherever it stands.
		if isTestSupport(pkg) {
			return func(imported string) bool { return !isAboveApp(imported) }, true
		}
		list, known = allowed[path.Dir(pkg)+"/*"]
	}
	return func(imported string) bool { return slices.Contains(list, imported) }, known
}

// isTestSupport reports whether a package exists for tests alone, as
// net/http/httptest does; the name's ending says so.
func isTestSupport(pkg string) bool { return strings.HasSuffix(path.Base(pkg), "test") }

func isAboveApp(pkg string) bool {
	return slices.ContainsFunc(aboveApp, func(top string) bool { return within(pkg, top) })
}

func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// own keeps the imports that belong to this module, relative to it.
func own(imports []string) []string {
	var rel []string
	for _, imported := range imports {
		if within(imported, module) {
			rel = append(rel, relative(imported))
		}
	}
	return rel
}

func relative(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

// list asks the go command about every package of the module. It goes on over
// packages that do not compile: those have louder tests than this one.
func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())

	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		require.NoError(t, err)
		pkgs = append(pkgs, p)
	}
}
