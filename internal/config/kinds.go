package config

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"tidemark/internal/compaction"
)

// text reads a value that is one line of printable text, quoted or not.
func text(v any) (string, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case compaction.Untyped:
		s = string(v)
	default:
		return "", false
	}
	return s, !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}

func textSetting(key, allowed string, valid func(string) bool, at func(*Config) *string) setting {
	return setting{
		key: key, allowed: "allowed: " + allowed,
		parse: func(v any) (any, bool) {
			s, ok := text(v)
			return s, ok && valid(s)
		},
		set:  func(c *Config, v any) { *at(c) = v.(string) },
		show: func(c Config) string { return *at(&c) },
	}
}

func urlSetting(key, env string, at func(*Config) *string) setting {
	s := textSetting(key, "an http or https URL, or empty for the provider's own", isBaseURL, at)
	s.env = []string{env}
	return s
}

// secretSetting also drops white space around the value: a key pasted with a line end would be refused by the provider
// with a message that shows no cause.
func secretSetting(key, env string, at func(*Config) *Secret) setting {
	s := setting{
		key: key, allowed: "allowed: one line of text", secret: true,
		parse: func(v any) (any, bool) {
			if s, ok := v.(string); ok {
				v = strings.TrimSpace(s)
			} else if u, ok := v.(compaction.Untyped); ok {
				v = strings.TrimSpace(string(u))
			}
			s, ok := text(v)
			return NewSecret(s), ok
		},
		set:  func(c *Config, v any) { *at(c) = v.(Secret) },
		show: func(c Config) string { return at(&c).String() },
	}
	if env != "" {
		s.env = []string{env}
	}
	return s
}

func intSetting(key string, low, high int, at func(*Config) *int) setting {
	return setting{
		key: key, allowed: fmt.Sprintf("allowed: a whole number from %d to %d", low, high),
		parse: func(v any) (any, bool) { return parseInt(v, low, high) },
		set:   func(c *Config, v any) { *at(c) = v.(int) },
		show:  func(c Config) string { return strconv.Itoa(*at(&c)) },
	}
}

func timeSetting(key string, unit time.Duration, low, high int, at func(*Config) *time.Duration) setting {
	return setting{
		key: key, allowed: fmt.Sprintf("allowed: a whole number from %d to %d", low, high),
		parse: func(v any) (any, bool) { return parseInt(v, low, high) },
		set:   func(c *Config, v any) { *at(c) = time.Duration(v.(int)) * unit },
		show:  func(c Config) string { return strconv.FormatInt(int64(*at(&c)/unit), 10) },
	}
}

func parseInt(v any, low, high int) (any, bool) {
	s, ok := v.(compaction.Untyped)
	if !ok {
		return nil, false
	}
	n, err := strconv.Atoi(string(s))
	return n, err == nil && low <= n && n <= high
}

func levelSetting(key string, at func(*Config) *slog.Level) setting {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	return setting{
		key: key, allowed: "allowed: debug, info, warn, error",
		parse: func(v any) (any, bool) {
			s, _ := text(v)
			level, ok := levels[s]
			return level, ok
		},
		set:  func(c *Config, v any) { *at(c) = v.(slog.Level) },
		show: func(c Config) string { return strings.ToLower(at(&c).String()) },
	}
}

// originsSetting is a list in the file, and comma-separated elsewhere.
func originsSetting(key string, at func(*Config) *[]string) setting {
	return setting{
		key: key, allowed: "allowed: a list of origins like https://chat.example",
		parse: func(v any) (any, bool) {
			list, ok := textList(v)
			for _, origin := range list {
				ok = ok && origin != "" && isOrigin(origin)
			}
			return list, ok
		},
		set:  func(c *Config, v any) { *at(c) = v.([]string) },
		show: func(c Config) string { return strings.Join(*at(&c), ",") },
	}
}

func textList(v any) ([]string, bool) {
	if s, ok := text(v); ok {
		var list []string
		for part := range strings.SplitSeq(s, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		return list, true
	}
	items, ok := v.([]any)
	list := make([]string, len(items))
	for i, item := range items {
		s, isText := text(item)
		list[i], ok = s, ok && isText
	}
	return list, ok
}
