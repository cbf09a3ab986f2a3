// Package config turns flags, environment, config.yaml and defaults into one checked value (spec 2.2).
//
// Precedence is flag, environment, file, default, per setting. Everything is strict: an unknown key, a value out of
// range, two spellings of one setting that disagree are refused with the key, the value, the allowed range and where it
// was written. The package reads nothing but what it is handed and the one file; only [Load] touches the disk.
package config

import (
	"log/slog"
	"time"

	"tidemark/internal/compaction"
)

// Config is the effective configuration. It is a value: nothing changes it after Load.
type Config struct {
	Addr           string // host:port to listen on; port 0 picks one
	Data           string // the workspace folder
	File           string // config.yaml that was read, "" when there is none
	Model          string // session model of clients that name none; "" = the rule of spec 7.1
	PublicURL      string // what browsers type, when a proxy stands in front; "" = the listening address
	AllowedOrigins []string
	AdminKey       Secret
	LogLevel       slog.Level

	Anthropic  Provider
	OpenAI     Provider
	OpenRouter Provider

	Compaction     compaction.Config
	OverrideLimits compaction.OverrideLimits
	Limits         Limits
	Retention      Retention

	// Warnings are odd but allowed: shown at start.
	Warnings []string

	from     map[string]source // where each setting that is not a default was written
	switches map[string]string // the two switches behind Compaction.Auto, as they were set
}

// Provider is how to reach a model provider.
type Provider struct {
	APIKey  Secret
	BaseURL string // "" = the provider's own
}

// Limits bound what clients may cost (protocol section 3).
type Limits struct {
	MessageBytes      int // inbound frame
	BodyBytes         int // HTTP request
	SessionsPerSocket int
	SocketsPerOwner   int
	RequestsPerSecond int // of one socket
	RequestBurst      int
	RequestsInFlight  int
	QueueMessages     int // outbound, per socket
	QueueBytes        int
	WriteTimeout      time.Duration
	PingInterval      time.Duration
	PongTimeout       time.Duration
	Keepalive         time.Duration // 0 = none
	SocketMaxAge      time.Duration
	InitializeTimeout time.Duration
	Feeds             int           // open operator feeds
	Heartbeat         time.Duration // of a feed
	DisconnectGrace   time.Duration // a running turn with nobody attached
	TurnSteps         int           // model calls of a turn
	OutputTokens      int           // of one model call
}

// Retention says how long rows are kept (spec 2.2).
type Retention struct {
	EventsDays       int
	IdempotencyHours int
}

// Default is the configuration of a server that was told nothing.
func Default() Config {
	return Config{
		Addr: "127.0.0.1:8080", Data: "data", LogLevel: slog.LevelInfo,
		Compaction: compaction.DefaultConfig(),
		Limits: Limits{
			MessageBytes: 1 << 20, BodyBytes: 4 << 20, SessionsPerSocket: 20, SocketsPerOwner: 10,
			RequestsPerSecond: 20, RequestBurst: 40, RequestsInFlight: 64, QueueMessages: 512, QueueBytes: 4 << 20,
			WriteTimeout: 10 * time.Second, PingInterval: 25 * time.Second, PongTimeout: 20 * time.Second,
			SocketMaxAge: time.Hour, InitializeTimeout: 10 * time.Second, Feeds: 256, Heartbeat: 15 * time.Second,
			DisconnectGrace: 10 * time.Minute, TurnSteps: 1000, OutputTokens: 8192,
		},
		Retention: Retention{EventsDays: 30, IdempotencyHours: 24},
	}
}
