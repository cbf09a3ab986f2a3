package web

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func outboxOf(messages, bytes int) *outbox {
	return newOutbox(Limits{QueueMessages: messages, QueueBytes: bytes})
}

func (o *outbox) drain() (out []string) {
	for {
		f, ok, _ := o.take()
		if !ok {
			return out
		}
		out = append(out, string(f.data))
	}
}

func TestOutbox_Bounds(t *testing.T) {
	o := outboxOf(2, 10)
	require.True(t, o.push([]byte("aaaaa")))
	require.True(t, o.push([]byte("bbbbb")))
	require.False(t, o.push([]byte("c")), "by count")
	require.Equal(t, []string{"aaaaa", "bbbbb"}, o.drain())

	o = outboxOf(10, 10)
	require.True(t, o.push(make([]byte, 50)), "a large one passes alone")
	require.False(t, o.push([]byte("c")), "by size")
	o.drain()
	require.True(t, o.push([]byte("c")))
}

func TestOutbox_TicksGiveWay(t *testing.T) {
	o := outboxOf(4, 100)
	require.True(t, o.pushTick("s", []byte("1")))
	require.True(t, o.push([]byte("row")))
	require.True(t, o.pushTick("s", []byte("22")), "takes the place of the one that waits")
	require.True(t, o.pushTick("t", []byte("3")))
	require.False(t, o.pushTick("u", []byte("4")), "half full")
	require.True(t, o.push([]byte("row2")))
	require.Equal(t, []string{"22", "row", "3", "row2"}, o.drain())
	require.Zero(t, o.bytes)
}

func TestOutbox_CloseSendsWhatIsQueued(t *testing.T) {
	o := outboxOf(4, 100)
	o.push([]byte("a"))
	require.True(t, o.close(closing{closeRestart, ""}, false))
	require.False(t, o.close(closing{closeSlow, ""}, true), "only the first counts")
	require.True(t, o.push([]byte("late")), "and is not missed")
	f, ok, end := o.take()
	require.True(t, ok)
	require.Equal(t, "a", string(f.data))
	require.Nil(t, end)
	_, ok, end = o.take()
	require.False(t, ok)
	require.Equal(t, closeRestart, end.code)

	o = outboxOf(4, 100)
	o.push([]byte("a"))
	o.close(closing{closeSlow, ""}, true)
	_, ok, end = o.take()
	require.False(t, ok)
	require.Equal(t, closeSlow, end.code)
}

func TestOutbox_PushWaitWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := outboxOf(4, 100)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			for range 10 {
				if err := o.pushWait(ctx, []byte("x")); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		synctest.Wait()
		require.Len(t, o.frames, 3, "up to half, and one")
		for range 7 {
			o.take()
			synctest.Wait()
		}
		require.NoError(t, <-done)

		go func() { done <- o.pushWait(ctx, []byte("y")) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
}

// Closing lets go of whoever waits for room.
func TestOutbox_CloseEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := outboxOf(2, 100)
		o.push([]byte("a"))
		o.push([]byte("b"))
		done := make(chan error, 1)
		go func() { done <- o.pushWait(t.Context(), []byte("c")) }()
		synctest.Wait()
		o.close(closing{closeSlow, ""}, true)
		require.NoError(t, <-done)
	})
}
