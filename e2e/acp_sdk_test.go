package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/acp/acptest"
	"tidemark/internal/config"
)

// TestPublicClient drives the program with a client that nobody here wrote: the public ACP SDK (protocol section 6).
func TestPublicClient(t *testing.T) {
	node, err := exec.LookPath("node")
	dir := filepath.Join(acptest.ModuleRoot(t), "e2e")
	if err != nil {
		t.Skip("skipped: node is not installed")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@agentclientprotocol")); err != nil {
		t.Skip("skipped: run 'npm ci' in e2e first")
	}
	a := openApp(t, func(c *config.Config) { c.Limits.RequestsPerSecond, c.Limits.RequestBurst = 1000, 1000 })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "acceptance.mjs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TIDEMARK_URL="+a.URL(), "TIDEMARK_KEY="+adminKey)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()

	checks := 0
	for lines := bufio.NewScanner(&stdout); lines.Scan(); checks++ {
		var line struct {
			Check  string          `json:"check"`
			OK     bool            `json:"ok"`
			Detail json.RawMessage `json:"detail"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		t.Run(line.Check, func(t *testing.T) { require.True(t, line.OK, string(line.Detail)) })
	}
	require.NoError(t, runErr, stderr.String())
	require.Empty(t, stderr.String(), "the client complained")
	require.GreaterOrEqual(t, checks, 16)
}
