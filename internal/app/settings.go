package app

import (
	"net"
	"strconv"

	"tidemark/internal/auth"
	"tidemark/internal/config"
	"tidemark/internal/model"
	"tidemark/internal/session"
	"tidemark/internal/store"
	"tidemark/web"
)

// This file is the one spot where settings are copied from the configuration into the Configs of packages. A setting
// that two packages need is copied twice here and nowhere else.

func storeConfig(cfg config.Config, o overrides) store.Config {
	return store.Config{Dir: cfg.Data, Now: o.now, Logger: o.log}
}

func cacheConfig(cfg config.Config, o overrides) store.CacheConfig {
	return store.CacheConfig{MaxRows: cfg.Compaction.CacheMaxRows, Now: o.now, Logger: o.log}
}

func authConfig(cfg config.Config, o overrides, localKey string) auth.Config {
	return auth.Config{AdminKey: cfg.AdminKey.Reveal(), LocalKey: localKey, Now: o.now}
}

func sessionConfig(cfg config.Config, model string, names []string) session.Config {
	return session.Config{
		DefaultModel: model, ModelNames: names, Compaction: cfg.Compaction, Limits: cfg.OverrideLimits,
		MaxOutputTokens: cfg.Limits.OutputTokens, MaxSteps: cfg.Limits.TurnSteps, Grace: cfg.Limits.DisconnectGrace,
	}
}

func webConfig(cfg config.Config, o overrides) web.Config {
	origins := cfg.AllowedOrigins
	if cfg.PublicURL != "" {
		origins = append([]string{cfg.PublicURL}, origins...)
	}
	return web.Config{Origins: origins, Hosts: listenHosts(cfg.Addr), Limits: webLimits(cfg.Limits), Now: o.now}
}

// listenHosts is the address itself when it names one machine: whoever can reach it may say so in the Host header.
func listenHosts(addr string) []string {
	host, port, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	if err != nil || port == "0" || host == "" || ip != nil && ip.IsUnspecified() {
		return nil
	}
	hosts := []string{addr}
	if n, _ := strconv.Atoi(port); n == 80 {
		hosts = append(hosts, host) // browsers leave the default port out
	}
	return hosts
}

func webLimits(l config.Limits) web.Limits {
	keepalive := l.Keepalive
	if keepalive == 0 {
		keepalive = -1 // zero would mean the default there
	}
	return web.Limits{
		MessageBytes: int64(l.MessageBytes), BodyBytes: int64(l.BodyBytes),
		SessionsPerSocket: l.SessionsPerSocket, SocketsPerOwner: l.SocketsPerOwner,
		RequestsPerSecond: float64(l.RequestsPerSecond), RequestBurst: l.RequestBurst, RequestsInFlight: l.RequestsInFlight,
		QueueMessages: l.QueueMessages, QueueBytes: l.QueueBytes,
		WriteWithin: l.WriteTimeout, PingEvery: l.PingInterval, PongWithin: l.PongTimeout,
		InitializeWithin: l.InitializeTimeout, SocketAge: l.SocketMaxAge, DataKeepalive: keepalive,
		Feeds: l.Feeds, Heartbeat: l.Heartbeat,
	}
}

// DatabaseName is the database in a data folder.
const DatabaseName = store.FileName

// PriceTable is the version of the built-in price table.
const PriceTable = model.Version
