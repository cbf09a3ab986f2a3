package web

import (
	"context"
	"sync"
)

// outbox is the bounded queue between everybody who has something to say on one socket and its only writer. A slow
// client costs its own queue and nobody else's time (cases D4 #29, #30).
type outbox struct {
	mu       sync.Mutex
	frames   []outFrame
	bytes    int
	maxCount int
	maxBytes int
	closed   bool
	closing  closing
	ready    chan struct{} // capacity 1: there is something for the writer
	room     chan struct{} // closed and replaced when the queue has shrunk
}

type outFrame struct {
	data []byte
	tick string // session of an ephemeral gauge tick; "" = must arrive
}

func newOutbox(l Limits) *outbox {
	return &outbox{maxCount: l.QueueMessages, maxBytes: l.QueueBytes, ready: make(chan struct{}, 1), room: make(chan struct{})}
}

// push queues a frame that must arrive; false when there is no room for it, which means that the client is too slow. A
// frame larger than the whole queue passes when it is alone.
func (o *outbox) push(data []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true // nobody waits for it any more
	}
	if len(o.frames) >= o.maxCount || (len(o.frames) > 0 && o.bytes+len(data) > o.maxBytes) {
		return false
	}
	o.add(outFrame{data: data})
	return true
}

// pushTick queues an ephemeral gauge: it takes the place of one that still waits, and is dropped when the queue is half
// full. False means dropped.
func (o *outbox) pushTick(sessionID string, data []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	for i := len(o.frames) - 1; i >= 0; i-- {
		if o.frames[i].tick == sessionID {
			o.bytes += len(data) - len(o.frames[i].data)
			o.frames[i].data = data
			return true
		}
	}
	if !o.half() {
		return false
	}
	o.add(outFrame{data: data, tick: sessionID})
	return true
}

// pushWait queues a frame of a history or a replay: it waits until the client has read half of what is queued, so that
// our own eagerness does not make it a slow client.
func (o *outbox) pushWait(ctx context.Context, data []byte) error {
	for {
		o.mu.Lock()
		if o.closed || o.half() {
			if !o.closed {
				o.add(outFrame{data: data})
			}
			o.mu.Unlock()
			return ctx.Err()
		}
		room := o.room
		o.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// half reports whether at most half of the queue is taken.
func (o *outbox) half() bool {
	return len(o.frames) <= o.maxCount/2 && o.bytes <= o.maxBytes/2
}

// isClosed reports whether the socket is ending from our side.
func (o *outbox) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

func (o *outbox) add(f outFrame) {
	o.frames = append(o.frames, f)
	o.bytes += len(f.data)
	o.wake()
}

func (o *outbox) wake() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// take hands the writer the next frame; end is set when the queue is closed and empty.
func (o *outbox) take() (f outFrame, ok bool, end *closing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.frames) == 0 {
		if o.closed {
			end = &o.closing
		}
		return f, false, end
	}
	f = o.frames[0]
	o.frames[0] = outFrame{} // let its bytes go
	o.frames = o.frames[1:]
	o.bytes -= len(f.data)
	if o.half() {
		o.tellRoom()
	}
	return f, true, nil
}

func (o *outbox) tellRoom() {
	close(o.room)
	o.room = make(chan struct{})
}

// close lets the writer send what is queued, then the close frame. discard forgets the queue: whoever is too slow for
// it would be too slow for its end too. Only the first call counts.
func (o *outbox) close(end closing, discard bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.closed, o.closing = true, end
	if discard {
		o.frames, o.bytes = nil, 0
	}
	o.tellRoom()
	o.wake()
	return true
}
