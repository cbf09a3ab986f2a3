package web

import (
	"math"

	"tidemark/views"
)

// scale maps tokens to pixels.
type scale struct {
	height, top int
	max         int
}

func newScale(height, top, peak int) scale {
	return scale{height, top, max(1, peak)}
}

func (s scale) y(tokens int) float64 {
	room := float64(s.height - s.top - 1)
	return float64(s.height) - 1 - room*float64(min(tokens, s.max))/float64(s.max)
}

// ticks are at most n round numbers from 0 up.
func (s scale) ticks(n int) []views.Tick {
	step := roundStep(float64(s.max) / float64(n))
	var out []views.Tick
	for v := 0; v <= s.max; v += step {
		out = append(out, views.Tick{Y: px(s.y(v)), Text: kilo(v)})
	}
	return out
}

// roundStep is the next of 1, 2, 5 times a power of ten.
func roundStep(raw float64) int {
	if raw <= 1 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return int(m * power)
		}
	}
	return int(10 * power)
}
