package app_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tidemark/internal/app"
	"tidemark/internal/config"
	"tidemark/internal/session"
	"tidemark/internal/store"
)

func testConfig(t testing.TB) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.Addr, cfg.Data = "127.0.0.1:0", filepath.Join(t.TempDir(), "data")
	return cfg
}

func open(t testing.TB, cfg config.Config, list ...app.Override) *app.App {
	t.Helper()
	a, err := app.Open(t.Context(), cfg, list...)
	require.NoError(t, err)
	t.Cleanup(func() { closeApp(t, a) })
	return a
}

func closeApp(t testing.TB, a *app.App) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	require.NoError(t, a.Close(ctx))
}

func get(t testing.TB, client *http.Client, target, key string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	require.NoError(t, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestOpen_ServesAndStops(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cfg := testConfig(t)
	a, err := app.Open(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, "sim:assistant", a.Model())
	require.Empty(t, a.Warnings())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	status, _ := get(t, client, a.URL()+"/healthz", "")
	require.Equal(t, http.StatusOK, status)

	closeApp(t, a)
	closeApp(t, a)                            // twice is no error
	_, err = client.Get(a.URL() + "/healthz") //nolint:bodyclose // it fails
	require.Error(t, err)
	left, err := os.ReadFile(filepath.Join(cfg.Data, app.RunFileName))
	require.NoError(t, err)
	require.Empty(t, left, "no key is left behind")
}

func TestOpen_Again(t *testing.T) {
	cfg := testConfig(t)
	a := open(t, cfg)
	rec, err := a.Sessions().Create(t.Context(), session.NewSession{Owner: "ada", CWD: "/"})
	require.NoError(t, err)
	closeApp(t, a)

	again := open(t, cfg)
	got, err := again.Reader().Record(t.Context(), rec.ID)
	require.NoError(t, err)
	require.Equal(t, "ada", got.Owner)
}

// A context that ends after Open must not take the server with it: only Close does.
func TestOpen_OutlivesItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a, err := app.Open(ctx, testConfig(t))
	require.NoError(t, err)
	defer closeApp(t, a)
	cancel()
	status, _ := get(t, http.DefaultClient, a.URL()+"/healthz", "")
	require.Equal(t, http.StatusOK, status)
}

func TestOpen_FolderInUse(t *testing.T) {
	cfg := testConfig(t)
	a := open(t, cfg)
	_, err := app.Open(t.Context(), cfg)
	var busy *app.InUseError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, a.URL(), busy.Running.URL)
	require.ErrorContains(t, err, "in use by the server at "+a.URL())
	require.NotContains(t, err.Error(), busy.Running.Key)

	status, _ := get(t, http.DefaultClient, busy.Running.URL+"/api/v1/keys", busy.Running.Key)
	require.Equal(t, http.StatusOK, status, "the run file's key speaks for the admin")
}

func TestOpen_FolderInUseAtRest(t *testing.T) {
	cfg := testConfig(t)
	open(t, cfg, app.WithoutListening())
	_, err := app.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "in use by another command")
}

func TestOpen_PortInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	cfg := testConfig(t)
	cfg.Addr = ln.Addr().String()
	_, err = app.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "address "+cfg.Addr+" is in use: stop what listens there, or choose another with --addr")
	require.NoDirExists(t, cfg.Data, "nothing is left behind")

	cfg.Addr = "203.0.113.7:80"
	_, err = app.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "choose another with --addr")
}

func TestOpen_BadDatabase(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, path string)
		want  error
	}{
		"not ours": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("a text file\n", 500)), 0o600))
		}, store.ErrNotOurs},
		"somebody else's": {func(t *testing.T, path string) { execSQL(t, path, "CREATE TABLE recipes (id INTEGER)") }, store.ErrNotOurs},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig(t)
			require.NoError(t, os.MkdirAll(cfg.Data, 0o700))
			path := filepath.Join(cfg.Data, store.FileName)
			tc.spoil(t, path)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = app.Open(t.Context(), cfg)
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, path)
			require.NotContains(t, err.Error(), "\n")
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, before, after, "somebody else's file is left as it was")
			_, err = app.Open(t.Context(), cfg)
			require.ErrorIs(t, err, tc.want, "the folder's lock was let go")
		})
	}
}

func execSQL(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), statement)
	require.NoError(t, err)
}

func TestOpen_FolderThatCannotBe(t *testing.T) {
	cfg := testConfig(t)
	require.NoError(t, os.WriteFile(cfg.Data, nil, 0o600))
	_, err := app.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "data folder "+cfg.Data+" cannot be used (not a directory): name another folder with --data")
}

func TestOpen_ReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	cfg := testConfig(t)
	require.NoError(t, os.Mkdir(cfg.Data, 0o500))
	_, err := app.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "make it writable for this user")
}

func TestSignInURL(t *testing.T) {
	a := open(t, testConfig(t))
	first, err := a.NobodySignedInYet(t.Context())
	require.NoError(t, err)
	require.True(t, first)
	link, err := a.SignInURL()
	require.NoError(t, err)
	u, err := url.Parse(link)
	require.NoError(t, err)
	require.Equal(t, "/login", u.Path)
	require.Empty(t, u.RawQuery, "a ticket in the query would stand in logs")

	login := func() int {
		body := `{"ticket":"` + strings.TrimPrefix(u.Fragment, "ticket=") + `"}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL()+"/login", strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", a.URL())
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		return resp.StatusCode
	}
	require.Equal(t, http.StatusNoContent, login())
	require.Equal(t, http.StatusUnauthorized, login(), "it works once")
	first, err = a.NobodySignedInYet(t.Context())
	require.NoError(t, err)
	require.False(t, first)
}

func TestSignInURL_Public(t *testing.T) {
	cfg := testConfig(t)
	cfg.PublicURL = "https://tide.example"
	link, err := open(t, cfg).SignInURL()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(link, "https://tide.example/login#ticket="), link)
}

func TestPostSignIn(t *testing.T) {
	cfg := testConfig(t)
	cfg.AdminKey = config.NewSecret("the-admin-key-of-tests")
	a := open(t, cfg)
	_, client, err := a.Auth().CreateKey(t.Context(), "ada", "operator", 0)
	require.NoError(t, err)
	post := func(key string) (int, map[string]string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL()+"/api/v1/signin", nil)
		require.NoError(t, err)
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		var out map[string]string
		if resp.StatusCode == http.StatusOK {
			require.NoError(t, json.NewDecoder(resp.Body).Decode(&out))
		}
		return resp.StatusCode, out
	}
	for key, want := range map[string]int{"": 401, "wrong": 401, client: 403} {
		status, _ := post(key)
		require.Equal(t, want, status)
	}
	status, out := post("the-admin-key-of-tests")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, out["url"], a.URL()+"/login#ticket=")
}

// At rest everything answers through the client, and nothing is bound.
func TestClient_AtRest(t *testing.T) {
	a := open(t, testConfig(t), app.WithoutListening())
	require.Empty(t, a.URL())
	client, key := a.Client()
	status, body := get(t, client, "http://127.0.0.1/api/v1/sessions", key)
	require.Equal(t, http.StatusOK, status, body)
	require.JSONEq(t, `{"items":[],"next_cursor":null}`, body)
	status, _ = get(t, client, "http://127.0.0.1/api/v1/sessions", "wrong")
	require.Equal(t, http.StatusUnauthorized, status)
}
