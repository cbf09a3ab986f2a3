package compaction

import "strings"

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
