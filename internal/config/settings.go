package config

import (
	"log/slog"
	"strings"
	"time"

	"tidemark/internal/compaction"
)

// setting is one key: what it may be and where it stands in a Config.
type setting struct {
	key     string
	aliases []string
	env     []string // variables; nil = TIDEMARK_ and the spellings in capitals
	allowed string
	secret  bool

	parse func(v any) (any, bool)
	set   func(c *Config, v any) // nil for a knob: Load sets those together
	show  func(c Config) string
	knob  *compaction.Knob
}

// settings is the one table of them, in the order that `tidemark config` prints.
var settings = append(append(serverSettings(), limitSettings()...), knobSettings()...)

func serverSettings() []setting {
	return []setting{
		textSetting("addr", "host:port, such as 127.0.0.1:8080; port 0 picks one", isHostPort, func(c *Config) *string { return &c.Addr }),
		textSetting("data", "the path of a folder", isPath, func(c *Config) *string { return &c.Data }),
		textSetting("model", `"provider:model", or empty for the best that has a key`, isModel, func(c *Config) *string { return &c.Model }),
		textSetting("public_url", "an http or https URL without a path", isOrigin, func(c *Config) *string { return &c.PublicURL }),
		originsSetting("allowed_origins", func(c *Config) *[]string { return &c.AllowedOrigins }),
		secretSetting("admin_key", "", func(c *Config) *Secret { return &c.AdminKey }),
		levelSetting("log.level", func(c *Config) *slog.Level { return &c.LogLevel }),
		secretSetting("anthropic.api_key", "ANTHROPIC_API_KEY", func(c *Config) *Secret { return &c.Anthropic.APIKey }),
		urlSetting("anthropic.base_url", "ANTHROPIC_BASE_URL", func(c *Config) *string { return &c.Anthropic.BaseURL }),
		secretSetting("openai.api_key", "OPENAI_API_KEY", func(c *Config) *Secret { return &c.OpenAI.APIKey }),
		urlSetting("openai.base_url", "OPENAI_BASE_URL", func(c *Config) *string { return &c.OpenAI.BaseURL }),
		secretSetting("openrouter.api_key", "OPENROUTER_API_KEY", func(c *Config) *Secret { return &c.OpenRouter.APIKey }),
		urlSetting("openrouter.base_url", "OPENROUTER_BASE_URL", func(c *Config) *string { return &c.OpenRouter.BaseURL }),
		intSetting("retention.events_days", 1, 36_500, func(c *Config) *int { return &c.Retention.EventsDays }),
		intSetting("retention.idempotency_hours", 1, 8760, func(c *Config) *int { return &c.Retention.IdempotencyHours }),
	}
}

func limitSettings() []setting {
	l := func(at func(*Limits) *int) func(*Config) *int { return func(c *Config) *int { return at(&c.Limits) } }
	d := func(at func(*Limits) *time.Duration) func(*Config) *time.Duration {
		return func(c *Config) *time.Duration { return at(&c.Limits) }
	}
	return []setting{
		intSetting("limits.message_bytes", 1024, 1<<28, l(func(l *Limits) *int { return &l.MessageBytes })),
		intSetting("limits.body_bytes", 1024, 1<<30, l(func(l *Limits) *int { return &l.BodyBytes })),
		intSetting("limits.sessions_per_socket", 1, 10_000, l(func(l *Limits) *int { return &l.SessionsPerSocket })),
		intSetting("limits.sockets_per_owner", 1, 100_000, l(func(l *Limits) *int { return &l.SocketsPerOwner })),
		intSetting("limits.requests_per_second", 1, 100_000, l(func(l *Limits) *int { return &l.RequestsPerSecond })),
		intSetting("limits.request_burst", 1, 100_000, l(func(l *Limits) *int { return &l.RequestBurst })),
		intSetting("limits.requests_in_flight", 1, 100_000, l(func(l *Limits) *int { return &l.RequestsInFlight })),
		intSetting("limits.queue_messages", 8, 1_000_000, l(func(l *Limits) *int { return &l.QueueMessages })),
		intSetting("limits.queue_bytes", 65_536, 1<<30, l(func(l *Limits) *int { return &l.QueueBytes })),
		timeSetting("limits.write_timeout_seconds", time.Second, 1, 600, d(func(l *Limits) *time.Duration { return &l.WriteTimeout })),
		timeSetting("limits.ping_interval_seconds", time.Second, 1, 3600, d(func(l *Limits) *time.Duration { return &l.PingInterval })),
		timeSetting("limits.pong_timeout_seconds", time.Second, 1, 3600, d(func(l *Limits) *time.Duration { return &l.PongTimeout })),
		timeSetting("limits.keepalive_seconds", time.Second, 0, 3600, d(func(l *Limits) *time.Duration { return &l.Keepalive })),
		timeSetting("limits.socket_max_age_minutes", time.Minute, 1, 10_080, d(func(l *Limits) *time.Duration { return &l.SocketMaxAge })),
		timeSetting("limits.initialize_timeout_seconds", time.Second, 1, 600, d(func(l *Limits) *time.Duration { return &l.InitializeTimeout })),
		intSetting("limits.feeds", 1, 100_000, l(func(l *Limits) *int { return &l.Feeds })),
		timeSetting("limits.heartbeat_seconds", time.Second, 1, 600, d(func(l *Limits) *time.Duration { return &l.Heartbeat })),
		timeSetting("limits.disconnect_grace_seconds", time.Second, 1, 604_800, d(func(l *Limits) *time.Duration { return &l.DisconnectGrace })),
		intSetting("limits.turn_steps", 1, 1_000_000, l(func(l *Limits) *int { return &l.TurnSteps })),
		intSetting("limits.output_tokens", 1, 1_000_000, l(func(l *Limits) *int { return &l.OutputTokens })),
	}
}

// knobSettings are the compaction knobs; their table stands in compaction.
func knobSettings() []setting {
	var out []setting
	for _, k := range compaction.Knobs() {
		out = append(out, setting{
			key: k.Key, aliases: k.Aliases, allowed: k.Allowed, knob: &k,
			parse: func(v any) (any, bool) { return v, k.Check(k.Key, v) == nil },
			show:  func(c Config) string { return k.Show(c.Compaction) },
		})
	}
	return out
}

// spellings are all keys that a file may use.
func (s setting) spellings() []string { return append([]string{s.key}, s.aliases...) }

// variables are the environment variables, the preferred one first.
func (s setting) variables() []string {
	if s.env != nil {
		return s.env
	}
	var out []string
	for _, spelling := range s.spellings() {
		name := "TIDEMARK_" + strings.ToUpper(strings.ReplaceAll(spelling, ".", "_"))
		if len(out) == 0 || out[0] != name { // compaction.mode and compaction_mode give the same
			out = append(out, name)
		}
	}
	return out
}

var bySpelling = func() map[string]*setting {
	m := make(map[string]*setting)
	for i := range settings {
		for _, spelling := range settings[i].spellings() {
			m[spelling] = &settings[i]
		}
	}
	return m
}()
