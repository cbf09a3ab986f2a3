package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a running `tidemark serve`.
type Process struct {
	URL  string
	Data string

	t       testing.TB
	addr    string
	cmd     *exec.Cmd
	args    []string
	environ []string
	lines   chan string // of stdout, after the URL
	ended   chan struct{}
	stderr  lockedBuilder
}

// Start serves a data folder on a free port and waits until it listens. The process is killed when the test ends.
func Start(t testing.TB, data string, environ []string, args ...string) *Process {
	t.Helper()
	p := &Process{t: t, Data: data, addr: "127.0.0.1:0", args: args, environ: environ}
	p.start()
	t.Cleanup(p.Kill)
	return p
}

func (p *Process) start() {
	p.t.Helper()
	p.lines, p.ended = make(chan string, 64), make(chan struct{})
	p.cmd = exec.CommandContext(context.Background(), Build(p.t), append([]string{"serve", "--addr", p.addr, "--data", p.Data}, p.args...)...)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TIDEMARK_ADMIN_KEY=" + AdminKey}, p.environ...)
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	go p.follow(out)
	line := p.line("Tidemark is listening on ")
	p.URL = strings.TrimPrefix(line, "Tidemark is listening on ")
	p.addr = strings.TrimPrefix(p.URL, "http://")
}

// follow hands out the lines of stdout and reaps the process.
func (p *Process) follow(out io.Reader) {
	defer close(p.ended)
	for scan := bufio.NewScanner(out); scan.Scan(); {
		select {
		case p.lines <- scan.Text():
		default: // nobody reads any more
		}
	}
	_ = p.cmd.Wait() // the state tells
}

// line waits for a line of stdout that has the prefix.
func (p *Process) line(prefix string) string {
	p.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line := <-p.lines:
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-p.ended:
			p.t.Fatalf("the server ended before it said %q: %s", prefix, p.Stderr())
		case <-timeout:
			p.t.Fatalf("the server did not say %q: %s", prefix, p.Stderr())
		}
	}
}

// SignInURL is the link that the server printed at its start; call it once.
func (p *Process) SignInURL() string {
	p.t.Helper()
	line := p.line("Sign in as admin")
	return line[strings.Index(line, "http"):]
}

// Stderr is what the process has complained about so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Kill ends the process like kill -9 and waits; a process that ended already is fine.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may be gone
	<-p.ended
}

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// Wait waits for the end and returns the exit status, -1 when a signal ended it.
func (p *Process) Wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("the server did not end: %s", p.Stderr())
		return 0
	}
}

// Stop drains the process and returns its exit status.
func (p *Process) Stop() int {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	return p.Wait()
}

// CrashAndRestart kills the process like kill -9 and serves the same folder again, at the same address.
func (p *Process) CrashAndRestart() {
	p.t.Helper()
	p.Kill()
	p.start()
}

// Get reads a path as the admin.
func (p *Process) Get(path string) (status int, body string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+AdminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// lockedBuilder is read while the process writes.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
