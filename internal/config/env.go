package config

import (
	"maps"
	"slices"
	"strings"

	"tidemark/internal/compaction"
)

// environ reads "NAME=value" lines; an empty value is the same as none.
func environ(lines []string) map[string]string {
	env := make(map[string]string)
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, "="); ok && value != "" {
			env[name] = value
		}
	}
	return env
}

// groups start the variables that can only be meant for this program. A variable below one of them that names no
// setting is refused like an unknown key. Others are left alone: orchestrators set names such as TIDEMARK_PORT for a
// service called tidemark.
var groups = []string{
	"TIDEMARK_COMPACTION_", "TIDEMARK_SUMMARIZATION_", "TIDEMARK_OPTIONS_", "TIDEMARK_ENABLE_",
	"TIDEMARK_LIMITS_", "TIDEMARK_RETENTION_", "TIDEMARK_LOG_",
}

func envLayer(env map[string]string) (layer, []string, error) {
	l, byVar := make(layer), variables()
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		key, known := byVar[name]
		from := source{"environment", name}
		switch {
		case known:
			if err := l.add(given{key, compaction.Untyped(env[name]), from}); err != nil {
				return nil, nil, err
			}
		case slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(name, g) }):
			e := compaction.UnknownKey(name, slices.Collect(maps.Keys(byVar)))
			return nil, nil, &Error{*e, from.kind}
		case strings.HasPrefix(name, "TIDEMARK_") && !slices.Contains(notSettings, name):
			if near := nearest(name, byVar); near != "" {
				warnings = append(warnings, name+" names no setting; did you mean "+near+"?")
			}
		}
	}
	return l, warnings, nil
}

// notSettings are variables of this program that say nothing about the server.
var notSettings = []string{"TIDEMARK_CONFIG", "TIDEMARK_SERVER", "TIDEMARK_KEY", "TIDEMARK_PROVE"}

func nearest(name string, byVar map[string]string) string {
	return compaction.Nearest(name, slices.Collect(maps.Keys(byVar)))
}

// variables maps each variable to the spelling it stands for.
func variables() map[string]string {
	m := make(map[string]string)
	for _, s := range settings {
		for _, name := range s.variables() {
			m[name] = s.key
		}
	}
	return m
}
