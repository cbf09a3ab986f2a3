package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/config"
	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// anyModel stands for a provider that has a key.
type anyModel struct{}

func (anyModel) Model(name string) (provider.Model, error) { return nil, nil }

func testRegistry(names ...string) *registry {
	list := make([]Override, len(names))
	for i, name := range names {
		list[i] = WithProvider(name, anyModel{})
	}
	return newRegistry(config.Default(), newOverrides(list), model.Default())
}

// The first of anthropic, openai, openrouter that has a key, else the simulated assistant (spec 7.1).
func TestDefaultModel(t *testing.T) {
	for _, tc := range []struct {
		have []string
		want string
	}{
		{nil, "sim:assistant"},
		{[]string{"openrouter"}, "openrouter:anthropic/claude-sonnet-4.6"},
		{[]string{"openrouter", "openai"}, "openai:gpt-5"},
		{[]string{"openrouter", "openai", "anthropic"}, "anthropic:claude-sonnet-4-6"},
	} {
		got, err := testRegistry(tc.have...).defaultModel(config.Default())
		require.NoError(t, err)
		require.Equal(t, tc.want, got)
	}
}

func TestDefaultModel_Configured(t *testing.T) {
	cfg := config.Default()
	cfg.Model = "sim:free"
	got, err := testRegistry("anthropic").defaultModel(cfg)
	require.NoError(t, err)
	require.Equal(t, "sim:free", got)

	for name, want := range map[string]string{
		"anthropic:claude-sonnet-4-6": "model: anthropic:claude-sonnet-4-6 is not allowed; it needs ANTHROPIC_API_KEY to be set (default)",
		"elsewhere:x":                 `there is no provider "elsewhere" here`,
		"sim:nope":                    "sim has sim:assistant",
	} {
		cfg.Model = name
		_, err := testRegistry().defaultModel(cfg)
		var ce *config.Error
		require.ErrorAs(t, err, &ce)
		require.ErrorContains(t, err, want)
	}
}

func TestRegistry_Names(t *testing.T) {
	require.Equal(t, []string{"sim:assistant", "sim:replay", "sim:summarizer", "sim:free", "sim:unpriced"}, testRegistry().names())
	require.Contains(t, testRegistry("openai").names(), "openai:gpt-5-mini")
	_, err := testRegistry().Model("gpt-5")
	require.ErrorContains(t, err, "provider:model")
}

func TestCheckSummarizer(t *testing.T) {
	cfg := config.Default()
	require.Empty(t, testRegistry().checkSummarizer(cfg, "sim:assistant"))
	require.Empty(t, testRegistry("anthropic").checkSummarizer(cfg, "anthropic:claude-sonnet-4-6"))
	cfg.Compaction.Model = "anthropic:claude-haiku-4-5"
	require.Contains(t, testRegistry().checkSummarizer(cfg, "sim:assistant"), "it needs ANTHROPIC_API_KEY")
}

func TestListenHosts(t *testing.T) {
	for addr, want := range map[string][]string{
		"127.0.0.1:0": nil, "0.0.0.0:8080": nil, "[::]:8080": nil, ":8080": nil,
		"192.168.1.5:8080": {"192.168.1.5:8080"}, "192.168.1.5:80": {"192.168.1.5:80", "192.168.1.5"},
	} {
		require.Equal(t, want, listenHosts(addr), addr)
	}
}
