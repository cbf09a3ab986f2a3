package compaction

import "strings"

// maxCommand bounds a command line as it is kept.
const maxCommand = 140

// shell reads a command line. A command that only shows a file counts as reading it, so that a session that reads
// through `sed -n` and `cat` looks like one that has a tool for it.
func (c *toolCall) shell(command string) {
	command = unwrapShell(command)
	c.kind = callShell
	c.target = commandLine(command)
	c.check = isCheck(command)
	parts := segments(command)
	if len(parts) == 1 {
		words := strings.Fields(parts[0])
		if f := shownFile(words); f != "" {
			c.kind, c.target = callRead, f
			c.addFile(f)
		} else if f := writtenFile(words); f != "" {
			c.kind, c.target = callWrite, f
			c.addFile(f)
		}
	}
}

// unwrapShell drops `bash -lc`, and the change of folder in front, which is the same for most commands of a session.
func unwrapShell(s string) string {
	s = strings.TrimSpace(s)
	for _, sh := range [...]string{"bash -lc ", "bash -c ", "sh -c ", "/bin/bash -lc ", "zsh -lc "} {
		if rest, ok := strings.CutPrefix(s, sh); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	if strings.HasPrefix(s, "cd ") {
		if _, rest, ok := strings.Cut(s, "&&"); ok && !strings.Contains(s[:len(s)-len(rest)], "\n") {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// commandLine is the first line of a command, marked when more follows.
func commandLine(s string) string {
	line, rest, more := strings.Cut(s, "\n")
	line = oneLine(line, maxCommand)
	if more && strings.TrimSpace(rest) != "" && !strings.HasSuffix(line, "…") {
		line += " …"
	}
	return line
}

// segments cuts a command at the separators that stand outside of quotes. What follows a here-document's first line is
// its text.
func segments(s string) []string {
	if i := strings.Index(s, "<<"); i >= 0 {
		if e := strings.IndexByte(s[i:], '\n'); e >= 0 {
			s = s[:i+e]
		}
	}
	var out []string
	from, quote := 0, byte(0)
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || quote == 0 && strings.IndexByte("\n;|&", s[i]) >= 0:
			if p := strings.TrimSpace(s[from:i]); p != "" {
				out = append(out, p)
			}
			from = i + 1
		case s[i] == '\\':
			i++
		case quote != 0 && s[i] == quote:
			quote = 0
		case quote == 0 && (s[i] == '\'' || s[i] == '"'):
			quote = s[i]
		}
	}
	return out
}

// shownFile is the file that a command like `sed -n 1,80p FILE` shows, or "".
func shownFile(words []string) string {
	if len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "cat", "head", "tail", "nl", "less", "bat":
	case "sed":
		if words[1] != "-n" {
			return ""
		}
	default:
		return ""
	}
	if strings.ContainsAny(strings.Join(words, ""), "<>") {
		return ""
	}
	return plainPath(words[len(words)-1])
}

// writtenFile is the file that `cat > FILE <<EOF` writes, or "".
func writtenFile(words []string) string {
	if words[0] != "cat" && words[0] != "tee" {
		return ""
	}
	for i, w := range words[1:] {
		switch {
		case (w == ">" || w == ">>") && i+2 < len(words):
			return plainPath(words[i+2])
		case len(w) > 1 && w[0] == '>':
			return plainPath(strings.TrimLeft(w, ">"))
		}
	}
	return ""
}

// plainPath is the word when it can only be a path.
func plainPath(w string) string {
	w = strings.Trim(w, `"'`)
	if strings.ContainsAny(w, "<>*$(){}=") || strings.HasPrefix(w, "-") || !strings.ContainsAny(w, "./") || len(w) < 3 {
		return ""
	}
	return w
}

// checkWords are beginnings of commands that test, build or lint (class validation_result).
var checkWords = []string{
	"go test", "go vet", "go build", "gofmt -l", "golangci-lint", "staticcheck", "pytest", "python -m pytest", "python3 -m pytest",
	"python -m unittest", "python3 -m unittest", "tox", "nox", "ruff", "mypy", "pyright", "flake8", "pylint", "black --check",
	"npm test", "npm t ", "npx tsc", "npx jest", "npx vitest", "npx eslint", "npx playwright test", "yarn test", "pnpm test", "bun test",
	"tsc", "jest", "vitest", "mocha", "eslint", "prettier --check", "biome check", "biome ci", "deno test", "playwright test",
	"cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt --check", "make test", "make lint", "make build", "make check",
	"make ci", "make -j", "cmake --build", "ctest", "ninja", "mvn test", "mvn verify", "mvn package", "gradle test", "gradle build",
	"./gradlew", "dotnet test", "dotnet build", "rspec", "bundle exec rspec", "rake test", "phpunit", "mix test", "swift test",
	"swift build", "bazel test", "bazel build", "pre-commit run", "shellcheck", "terraform validate", "docker build", "mise run",
	"just test", "just check", "uv run pytest", "uv run ruff", "poetry run pytest",
}

// scriptRunners run a script by its name: `npm run lint`.
var scriptRunners = []string{"npm run ", "pnpm run ", "yarn run ", "bun run ", "yarn ", "pnpm "}

// isCheck reports whether a part of the command tests, builds or lints.
func isCheck(command string) bool {
	for _, p := range segments(command) {
		p = dropAssignments(p)
		for _, w := range checkWords {
			if strings.HasPrefix(p, w) && (len(p) == len(w) || w[len(w)-1] == ' ' || !isWord(p[len(w)]) && p[len(w)] != '-') {
				return true
			}
		}
		for _, r := range scriptRunners {
			if name, ok := strings.CutPrefix(p, r); ok && isCheckScript(name) {
				return true
			}
		}
	}
	return false
}

func isCheckScript(name string) bool {
	name, _, _ = strings.Cut(name, " ")
	for _, w := range [...]string{"test", "lint", "build", "check", "typecheck", "verify", "validate", "format:check", "e2e"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// dropAssignments drops `NAME=value` words, time and sudo in front of a command.
func dropAssignments(p string) string {
	for {
		w, rest, ok := strings.Cut(p, " ")
		if !ok || !(strings.Contains(w, "=") || w == "time" || w == "sudo" || w == "env" || w == "timeout") {
			return p
		}
		p = strings.TrimSpace(rest)
		if w == "timeout" {
			_, p, _ = strings.Cut(p, " ")
		}
	}
}
