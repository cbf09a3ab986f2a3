package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// AdminKey is the TIDEMARK_ADMIN_KEY of every process that Start starts.
const AdminKey = "tmk_e2e_process_0123456789abcdef0123"

// patience bounds each wait for a process; nothing normal comes near it.
const patience = 60 * time.Second

var build struct {
	once sync.Once
	path string
	err  error
}

// Build builds the binary once per test process and returns its path.
func Build(t testing.TB) string {
	t.Helper()
	build.once.Do(func() {
		root, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
		if err != nil {
			build.err = fmt.Errorf("find the module: %w", err)
			return
		}
		dir := strings.TrimSpace(string(root))
		build.path = filepath.Join(dir, "bin", "e2e", "tidemark")
		cmd := exec.CommandContext(context.Background(), "go", "build", "-o", build.path, "./cmd/server")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			build.err = fmt.Errorf("build: %w: %s", err, out)
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return build.path
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs the binary to its end. environ is added to an otherwise empty environment.
func Run(t testing.TB, environ []string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, Build(t), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append([]string{"PATH=" + os.Getenv("PATH")}, environ...), &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("tidemark %s did not end", strings.Join(args, " "))
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
