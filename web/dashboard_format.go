package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tidemark/internal/pricing"
	"tidemark/views"
)

// unknown stands where there is no value.
const unknown = "–"

// number sets a comma between thousands, as money does.
func number[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// kilo is a count for narrow places: 950, 9.5k, 58k, 1.2M.
func kilo[T ~int | ~int64](n T) string {
	switch v := float64(n); {
	case v >= 999_500:
		return trimZero(strconv.FormatFloat(v/1e6, 'f', 1, 64)) + "M"
	case v >= 9_950:
		return strconv.FormatFloat(v/1e3, 'f', 0, 64) + "k"
	case v >= 1_000:
		return trimZero(strconv.FormatFloat(v/1e3, 'f', 1, 64)) + "k"
	}
	return strconv.FormatInt(int64(n), 10)
}

func trimZero(s string) string { return strings.TrimSuffix(s, ".0") }

// percent shows a share with one digit, and none where it would be ".0".
func percent(share float64) string {
	return trimZero(strconv.FormatFloat(share*100, 'f', 1, 64)) + " %"
}

// fraction is part of whole; ok is false when there is no whole.
func fraction[T ~int | ~int64](part, whole T) (f float64, ok bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

func percentOf[T ~int | ~int64](part, whole T) string {
	if f, ok := fraction(part, whole); ok {
		return percent(f)
	}
	return unknown
}

// money shows an amount; nil is a call whose price is not known.
func money(u *pricing.USD) string {
	if u == nil {
		return "unpriced"
	}
	return u.Format()
}

func picoMoney(n int64) string { return pricing.FromPico(n).Format() }

// plural counts things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// took shows how long something lasted.
func took(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return age(d)
}

func tookMS(ms int64) string { return took(time.Duration(ms) * time.Millisecond) }

// age shows how long ago something was.
func age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// Forms of a moment; times.js redraws them in the reader's zone.
const (
	formClock = "clock"
	formDate  = "date"
	formAge   = "age"
)

func shownAt(t time.Time, form string, now time.Time) views.Moment {
	if t.IsZero() {
		return views.Moment{}
	}
	t = t.UTC()
	m := views.Moment{ISO: t.Format(time.RFC3339), Form: form}
	switch form {
	case formClock:
		m.Text = t.Format(time.TimeOnly)
	case formDate:
		m.Text = t.Format("2006-01-02 15:04")
	case formAge:
		m.Text = age(now.Sub(t))
	}
	return m
}

// shortID shortens an id to what people compare: its end, since ids of one day begin alike.
func shortID(id string) string {
	if len(id) <= 12 {
		return id
	}
	return id[:4] + "…" + id[len(id)-6:]
}

// short cuts the first characters of a key.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}

// pct is an SVG length.
func pct(share float64) string {
	return strconv.FormatFloat(min(max(share, 0), 1)*100, 'f', 2, 64) + "%"
}

// px is an SVG coordinate.
func px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// words turns a code such as latency_budget into words.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }
