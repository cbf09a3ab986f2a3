# `make` or `make help` lists the targets.

GO        ?= go
BIN       := bin/tidemark
FUZZTIME  ?= 20s
BENCH     ?= .
RUN_ARGS  ?= serve

# The tools live in mod files of their own: a linter's 400 modules must not
# decide which versions the server is built with.
TEMPL       := $(GO) tool -modfile=tools/templ.mod templ
STATICCHECK := $(GO) tool -modfile=tools/staticcheck.mod staticcheck
GOLANGCI    := $(GO) tool -modfile=tools/golangci.mod golangci-lint

# Only packages with concurrency of their own: the race detector is a second
# compile of everything below them, SQLite included.
RACE_PKGS  := internal/session internal/store internal/event internal/compaction internal/provider web
RACE_FOUND := $(foreach p,$(RACE_PKGS),$(if $(wildcard $(p)/*.go),./$(p)))

E2E_STAMP    := e2e/node_modules/.installed
STATIC_STAMP := static/node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help setup generate assets build run demo test race fuzz e2e bench prove \
	lint lint-full vet fmt fmt-check drift chromium ci

help: ## List the targets
	@awk -F ':.*## ' '/^## / { print substr($$0, 4) } /^[a-z0-9-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## Prepare

setup: chromium $(E2E_STAMP) ## Install what the tests need: Chromium (Debian, as root) and the npm clients

# Tests look for a binary named chromium and never download one.
chromium:
	@command -v chromium >/dev/null || { \
		command -v apt-get >/dev/null || { echo "Install Chromium so that 'chromium' is on the PATH." >&2; exit 1; }; \
		SUDO=; [ "$$(id -u)" = 0 ] || SUDO=sudo; \
		echo "Installing chromium and fonts-dejavu-core"; \
		$$SUDO apt-get update -qq -o Acquire::Retries=3 && \
		$$SUDO env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=3 \
			--no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	}

# The stamp lies inside node_modules, so removing that folder is enough to
# start again.
$(E2E_STAMP): e2e/package.json e2e/package-lock.json
	cd e2e && npm ci --ignore-scripts
	@touch $@

$(STATIC_STAMP): static/package.json static/package-lock.json
	cd static && npm ci --ignore-scripts
	@touch $@

generate: ## Regenerate Go from the .templ files
	$(TEMPL) generate

assets: $(STATIC_STAMP) ## Copy the pinned browser libraries and their licenses into static/vendor
	rm -rf static/vendor
	mkdir -p static/vendor/htmx/ext static/vendor/uplot static/vendor/pico
	cp static/node_modules/htmx.org/dist/htmx.min.js static/node_modules/htmx.org/LICENSE static/vendor/htmx/
	cp static/node_modules/htmx.org/dist/ext/hx-sse.min.js static/vendor/htmx/ext/
	cp static/node_modules/uplot/dist/uPlot.iife.min.js static/node_modules/uplot/dist/uPlot.min.css \
		static/node_modules/uplot/LICENSE static/vendor/uplot/
	cp static/node_modules/@picocss/pico/css/pico.min.css static/node_modules/@picocss/pico/LICENSE.md static/vendor/pico/

## Run

build: ## Build bin/tidemark
	$(GO) build -o $(BIN) ./cmd/server

run: build ## Build and serve on the defaults (RUN_ARGS="serve --addr ..." for others)
	./$(BIN) $(RUN_ARGS)

demo: build ## Show a session being compacted, start to end
	./scripts/demo.sh

## Check

test: setup ## Run every test, then the concurrent packages under the race detector
	$(GO) test -shuffle=on -count=1 -timeout 10m ./...
	@$(MAKE) --no-print-directory race

race: ## Run the concurrent packages under the race detector
ifneq ($(RACE_FOUND),)
	$(GO) test -race -short -shuffle=on -count=1 -timeout 10m $(RACE_FOUND)
endif

# -fuzz takes one target of one package at a time.
fuzz: ## Fuzz every target for FUZZTIME each
	@set -e; for file in $$(git ls-files --cached --others --exclude-standard -- '*_test.go'); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "==> $$(dirname $$file) $$name"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$file); \
		done; \
	done

e2e: setup ## Run the end-to-end tests alone: real server, real clients, real browser
	$(GO) test -count=1 -timeout 10m ./e2e/...

# One package at a time: benchmarks that share the cores measure each other.
bench: ## Run the benchmarks
	$(GO) test -p 1 -run '^$$' -bench '$(BENCH)' -benchmem -timeout 30m ./...

prove: export TIDEMARK_PROVE = 1
prove: setup ## Run the long proofs: tests at full length, race detector, fuzzing
	$(GO) test -shuffle=on -count=1 -timeout 60m ./...
ifneq ($(RACE_FOUND),)
	$(GO) test -race -shuffle=on -count=1 -timeout 60m $(RACE_FOUND)
endif
	@$(MAKE) --no-print-directory fuzz

vet: ## Run go vet
	$(GO) vet ./...

lint: vet ## Run go vet and staticcheck
	$(STATICCHECK) ./...

lint-full: ## Run golangci-lint with .golangci.yml (slow to build the first time)
	$(GOLANGCI) run

fmt: ## Format Go and templ files
	gofmt -w $$(git ls-files --cached --others --exclude-standard -- '*.go' ':!*_templ.go')
	$(TEMPL) fmt .

fmt-check:
	@files=$$(git ls-files -- '*.go' ':!*_templ.go'); \
	[ -z "$$files" ] || { bad=$$(gofmt -l $$files); \
	[ -z "$$bad" ] || { echo "Not formatted (make fmt):"; echo "$$bad"; exit 1; }; }

# Generated Go is committed so that a build needs no generator; this keeps it
# honest. A new file would escape git diff, hence the second look.
drift: generate
	git diff --exit-code -- '*_templ.go'
	@new=$$(git ls-files --others --exclude-standard -- '*_templ.go'); \
	[ -z "$$new" ] || { echo "Generated but not committed:"; echo "$$new"; exit 1; }

ci: ## Everything a change must pass: drift, format, vet, staticcheck, test
	@started=$$(date +%s); \
	for stage in drift fmt-check lint test; do \
		from=$$(date +%s); \
		printf '\n==== %s\n' "$$stage"; \
		$(MAKE) --no-print-directory $$stage || { printf '==== %s FAILED after %ss\n' "$$stage" $$(($$(date +%s) - from)); exit 1; }; \
		printf '==== %s ok, %ss\n' "$$stage" $$(($$(date +%s) - from)); \
	done; \
	printf '\n==== all ok, %ss\n' $$(($$(date +%s) - started))
