package sim

import (
	"strconv"
	"strings"
	"time"
)

// faultCue is a fault with the calls it strikes.
type faultCue struct {
	Fault
	limit int // how often; 0 = always
	step  int // of the turn, from 1; 0 = any
}

// faultOf reads `fail KIND OPTIONS`, or `KIND OPTIONS` where the kind is a cue of its own.
func faultOf(c cue) (f faultCue, ok bool) {
	fields := strings.Fields(c.args)
	kind := c.name
	if kind == "fail" || kind == "summarizer" {
		if len(fields) > 0 && fields[0] == "fail" {
			fields = fields[1:]
		}
		if len(fields) == 0 {
			return f, false
		}
		kind, fields = fields[0], fields[1:]
	}
	f.Kind = Kind(kind)
	for _, option := range fields {
		f.option(option)
	}
	return f, kinds[f.Kind]
}

func (f *faultCue) option(s string) {
	key, value, _ := strings.Cut(s, "=")
	switch key {
	case "once":
		f.limit = 1
	case "times":
		f.limit, _ = strconv.Atoi(value)
	case "step":
		f.step, _ = strconv.Atoi(value)
	case "retry":
		f.RetryAfter, _ = time.ParseDuration(value)
	case "late":
		f.Delay, _ = time.ParseDuration(value)
	}
}

// manner adds what a cue says about how the answer comes, whatever it is.
func (f *Fault) manner(c cue) {
	switch c.name {
	case "slow":
		f.Pace, _ = time.ParseDuration(c.args)
	case "late":
		f.Delay, _ = time.ParseDuration(c.args)
	case "no_usage":
		f.NoUsage = true
	}
}
