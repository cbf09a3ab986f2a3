package config

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Line is one effective setting (spec 2.2, `tidemark config`).
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // "default", "flag --data", "environment TIDEMARK_DATA", "file data/config.yaml line 3"
}

// Lines lists every setting with its origin, secrets masked.
func (c Config) Lines() []Line {
	var out []Line
	for i := range settings {
		s := &settings[i]
		line := Line{Key: s.key, Value: s.show(c), Origin: c.Origin(s.key)}
		_, set := c.from[s.key]
		switch {
		case isSwitch(s.key):
			line.Value = c.switchValue(s.key)
		case !set && line.Value != s.show(Default()):
			line.Origin = "default of profile " + string(c.Compaction.Profile)
		}
		out = append(out, line)
	}
	return append(out, c.overrideLines()...)
}

// isSwitch tells the two switches of which the configuration keeps only whether both are on.
func isSwitch(key string) bool {
	return key == "summarization.enabled" || key == "enable_auto_summarize"
}

func (c Config) switchValue(key string) string {
	if v, ok := c.switches[key]; ok {
		return v
	}
	return "true"
}

func (c Config) overrideLines() []Line {
	var out []Line
	for key, lim := range c.OverrideLimits {
		add := func(bound, value string) {
			if value != "" {
				out = append(out, Line{overridesKey + key + "." + bound, value, "file " + c.File})
			}
		}
		add("min", lim.Min)
		add("max", lim.Max)
		add("only", strings.Join(lim.Only, ","))
		if lim.Locked {
			add("locked", "true")
		}
	}
	slices.SortFunc(out, func(a, b Line) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Render writes the settings as a table.
func (c Config) Render(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "KEY\tVALUE\tORIGIN")
	for _, l := range c.Lines() {
		value := strings.Map(printable, l.Value)
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", l.Key, value, strings.Map(printable, l.Origin))
	}
	return tw.Flush()
}
