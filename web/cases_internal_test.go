package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCaseD4_30: what waits for a client that stopped reading is bounded in bytes, gauge ticks included; a client that is
// too slow for that is told so by the push that finds no room.
func TestCaseD4_30_AClientThatStoppedReading(t *testing.T) {
	o := outboxOf(1000, 64<<10)
	frame := make([]byte, 1000)
	pushed := 0
	for o.push(frame) {
		o.pushTick("s", frame[:100])
		o.pushTick("other", frame[:100])
		pushed++
		require.Less(t, pushed, 100)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	require.LessOrEqual(t, o.bytes, 64<<10)
	held := 0
	for _, f := range o.frames {
		held += len(f.data)
	}
	require.Equal(t, o.bytes, held)
}
