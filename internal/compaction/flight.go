package compaction

import (
	"context"
	"sync"
	"time"
)

// flights hold the calls that run now, by key: sessions that need one key at the same time make one call (spec 5.3). The
// first asker pays; when it leaves, the next one in line takes over the call and its bill, so that nothing is bought
// twice. A flight ends when its last asker leaves.
type flights struct {
	mu   sync.Mutex
	open map[string]*flight
}

// flight is one shared call. Its fields are guarded by the lock of flights until done is closed.
type flight struct {
	key     string
	cancel  context.CancelCauseFunc
	askers  []*asker // in order of asking
	payer   *asker   // set when the call is over, or when the last asker left
	settled bool
	done    chan struct{}

	speak sync.Mutex // held while an asker hears a piece of text, so that none hears one after it left

	text  Text          // with calls; what the payer gets
	err   *SummaryError // instead of text
	loose bool          // the text is good but its payer did not judge it
}

// asker is one caller of Summarize that takes part in a flight.
type asker struct {
	accept   func(string) error
	onText   func(string)
	deadline time.Time // zero = none
}

// join takes part in the open flight of a key, or opens one; first says which. An empty key is never shared.
func (fs *flights) join(key string, a *asker, cancel context.CancelCauseFunc) (f *flight, first bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, ok := fs.open[key]; ok && key != "" {
		f.askers = append(f.askers, a)
		return f, false
	}
	f = &flight{key: key, cancel: cancel, askers: []*asker{a}, done: make(chan struct{})}
	if key != "" {
		if fs.open == nil {
			fs.open = make(map[string]*flight)
		}
		fs.open[key] = f
	}
	return f, true
}

// leave takes an asker out. It reports whether the asker must wait for the flight's end: it was the last and the call,
// now cancelled, is its to pay; or the call is over and its result is being judged.
func (fs *flights) leave(f *flight, a *asker, cause error) (wait bool) {
	f.speak.Lock()
	defer f.speak.Unlock()
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.settled {
		return f.payer == a
	}
	for i := range f.askers {
		if f.askers[i] == a {
			f.askers = append(f.askers[:i:i], f.askers[i+1:]...)
			break
		}
	}
	if len(f.askers) > 0 {
		return false
	}
	f.payer = a
	fs.forget(f)
	f.cancel(cause)
	return true
}

// settle ends the call and names who pays for it; from now on nobody can hand it over. alone says that all askers left.
func (fs *flights) settle(f *flight) (payer *asker, alone bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.settled = true
	if len(f.askers) == 0 {
		return f.payer, true
	}
	f.payer = f.askers[0]
	return f.payer, false
}

// finish lets everybody see the result. It comes after the cache was written, so that whoever asks from now on finds it
// there.
func (fs *flights) finish(f *flight) {
	fs.mu.Lock()
	fs.forget(f)
	fs.mu.Unlock()
	f.cancel(nil)
	close(f.done)
}

func (fs *flights) forget(f *flight) {
	if fs.open[f.key] == f {
		delete(fs.open, f.key)
	}
}

// say passes text on to the asker that pays at the moment.
func (fs *flights) say(f *flight, text string) {
	f.speak.Lock()
	defer f.speak.Unlock()
	fs.mu.Lock()
	var hear func(string)
	if len(f.askers) > 0 {
		hear = f.askers[0].onText
	}
	fs.mu.Unlock()
	if hear != nil {
		hear(text)
	}
}

// offer has a text judged by the asker that pays at the moment; it does not end the call.
func (fs *flights) offer(f *flight, text string) error {
	f.speak.Lock()
	defer f.speak.Unlock()
	fs.mu.Lock()
	var judge func(string) error
	if len(f.askers) > 0 {
		judge = f.askers[0].accept
	}
	fs.mu.Unlock()
	if judge == nil {
		return ErrNotJudged
	}
	return judge(text)
}

// deadline is the latest of all askers: as long as one has time, so has the call.
func (fs *flights) deadline(f *flight) (end time.Time, ok bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, a := range f.askers {
		if a.deadline.IsZero() {
			return time.Time{}, false
		}
		if a.deadline.After(end) {
			end = a.deadline
		}
	}
	return end, !end.IsZero()
}
