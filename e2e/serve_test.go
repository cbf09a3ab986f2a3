package e2e_test

import (
	"database/sql"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/require"

	"tidemark/e2e"
)

// requireRefusal checks that a command failed with one line that says what is wrong.
func requireRefusal(t *testing.T, r e2e.Result, code int, want string) {
	t.Helper()
	require.Equal(t, code, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, want)
	require.Equal(t, 1, strings.Count(r.Stderr, "\n"), r.Stderr)
	require.NotContains(t, r.Stderr, "goroutine ")
	require.Empty(t, r.Stdout)
}

func TestServe_BadSetting(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	requireRefusal(t, e2e.Run(t, []string{"TIDEMARK_COMPACTION_THRESHOLD_TOKENS=0"}, "serve", "--data", data), 2,
		"compaction.threshold_tokens: 0 is not allowed; allowed: a whole number from 1 to 1000000000")
	require.NoDirExists(t, data)

	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "config.yaml"), []byte("compaction:\n  treshold_tokens: 1\n"), 0o600))
	requireRefusal(t, e2e.Run(t, nil, "serve", "--data", data), 2, "compaction.treshold_tokens: unknown key; did you mean compaction.threshold_tokens?")
}

func TestServe_PortInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	addr := ln.Addr().String()
	requireRefusal(t, e2e.Run(t, nil, "serve", "--addr", addr, "--data", t.TempDir()), 1, "address "+addr+" is in use")
}

func TestServe_NotOurDatabase(t *testing.T) {
	data := t.TempDir()
	path := filepath.Join(data, "tidemark.db")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database at all\n", 300)), 0o600))
	requireRefusal(t, e2e.Run(t, nil, "serve", "--addr", "127.0.0.1:0", "--data", data), 1, path+": the file is not a Tidemark database")
}

func TestServe_NewerSchema(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	require.Zero(t, e2e.Run(t, nil, "key", "create", "--role", "client", "--name", "a", "--data", data).Code)
	path := filepath.Join(data, "tidemark.db")
	db, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 99")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	requireRefusal(t, e2e.Run(t, nil, "serve", "--addr", "127.0.0.1:0", "--data", data), 1, path+": the database was written by a newer version")
}

// As root nothing is read-only, so root runs the server as nobody.
func TestServe_ReadOnlyFolder(t *testing.T) {
	bin := e2e.Build(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	require.NoError(t, os.Mkdir(data, 0o555))
	cmd := exec.CommandContext(t.Context(), bin, "serve", "--addr", "127.0.0.1:0", "--data", data)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if os.Geteuid() == 0 {
		for _, d := range []string{dir, filepath.Dir(dir)} {
			require.NoError(t, os.Chmod(d, 0o755))
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Skipf("cannot run as another user here: %v", err)
	}
	requireRefusal(t, e2e.Result{Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}, 1,
		"data folder "+data+" cannot be used (permission denied): make it writable for this user")
}

// A fresh start prints a link, and the link signs a browser in: once.
func TestServe_SignIn(t *testing.T) {
	p := e2e.Start(t, filepath.Join(t.TempDir(), "data"), nil)
	link, err := url.Parse(p.SignInURL())
	require.NoError(t, err)
	require.Equal(t, p.URL, link.Scheme+"://"+link.Host)
	ticket := strings.TrimPrefix(link.Fragment, "ticket=")
	resp := login(t, p, ticket)
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Len(t, resp.Cookies(), 1)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/v1/keys", nil)
	require.NoError(t, err)
	req.AddCookie(resp.Cookies()[0])
	keys, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, keys.Body.Close())
	require.Equal(t, http.StatusOK, keys.StatusCode, "the link signs in as admin")
	require.Equal(t, http.StatusUnauthorized, login(t, p, ticket).StatusCode, "the ticket is spent")

	fresh := e2e.Run(t, nil, "signin", "--data", p.Data)
	require.Zero(t, fresh.Code, fresh.Stderr)
	require.Contains(t, fresh.Stdout, p.URL+"/login#ticket=")

	require.Zero(t, p.Stop())
	require.NotContains(t, p.Stderr(), ticket)
}

func login(t *testing.T, p *e2e.Process, ticket string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/login", strings.NewReader(`{"ticket":"`+ticket+`"}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", p.URL)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp
}

// The second server on a folder is told about the first.
func TestServe_FolderInUse(t *testing.T) {
	p := e2e.Start(t, filepath.Join(t.TempDir(), "data"), nil)
	requireRefusal(t, e2e.Run(t, nil, "serve", "--addr", "127.0.0.1:0", "--data", p.Data), 1, "is in use by the server at "+p.URL)
}

func TestServe_DrainsOnTerm(t *testing.T) {
	p := e2e.Start(t, filepath.Join(t.TempDir(), "data"), nil)
	require.Zero(t, p.Stop())
	require.Contains(t, p.Stderr(), "draining")
	body, err := os.ReadFile(filepath.Join(p.Data, "server.json"))
	require.NoError(t, err)
	require.Empty(t, body)
}

// A crash leaves a lock that the system lets go of, and a folder that opens again.
func TestServe_AfterKill(t *testing.T) {
	p := e2e.Start(t, filepath.Join(t.TempDir(), "data"), nil)
	require.Zero(t, e2e.Run(t, nil, "key", "create", "--role", "client", "--name", "ada", "--data", p.Data).Code)
	p.CrashAndRestart()
	status, body := p.Get("/api/v1/keys")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"name":"ada"`)
	p.Kill()
	rest := e2e.Run(t, nil, "key", "list", "--data", p.Data)
	require.Zero(t, rest.Code, rest.Stderr)
	require.Contains(t, rest.Stdout, "ada")
}

// The demo shows a compaction, offline, without any file from elsewhere.
func TestDemo(t *testing.T) {
	bin := e2e.Build(t)
	root := filepath.Dir(filepath.Dir(filepath.Dir(bin)))
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "demo.sh"))
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SPEED=0", "TIDEMARK=" + bin, "TMPDIR=" + cmd.Dir}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "/login#ticket=")
	require.Regexp(t, `pass +semantic completed \((threshold|precompact)\): watermark`, string(out))
	left, err := os.ReadDir(cmd.Dir)
	require.NoError(t, err)
	require.Empty(t, left, "the demo removes its folder")
}
