package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"tidemark/internal/auth"
	"tidemark/internal/event"
	"tidemark/internal/session"
	"tidemark/views"
)

// sessionStream keeps the page of one session true. Everything on it hangs together, so it is drawn again as a whole, at
// most once in redrawEvery.
type sessionStream struct {
	s     *Server
	who   auth.Principal
	id    session.ID
	head  event.ID
	stale bool
}

func (p *sessionStream) feed() feed {
	return feed{
		filter: session.EventFilter{SessionID: p.id}, draw: p.draw, gap: drawReload, refresh: p.refresh, every: redrawEvery,
	}
}

// draw only notes that something happened: refresh draws. The place still moves with an empty message, because the page
// of a reader that comes back is drawn from the present state in any case.
func (p *sessionStream) draw(_ context.Context, batch []event.Event) ([]sseFrame, error) {
	p.stale, p.head = true, batch[len(batch)-1].ID
	return nil, nil
}

func (p *sessionStream) refresh(ctx context.Context) ([]sseFrame, error) {
	if !p.stale {
		return nil, nil
	}
	p.stale = false
	r := reader{p.who, p.s.cfg.Now()}
	rec, err := p.s.Reader.Record(ctx, p.id)
	if isGone(err) || rec.State == session.StateDeleted {
		return drawReload(ctx, p.head)
	}
	if err != nil {
		return nil, err
	}
	facts, err := p.s.sessionFacts(ctx, rec)
	if err != nil {
		return nil, err
	}
	frames, err := drawSession(ctx, newSessionPage(r, facts), p.head, r.now)
	if len(frames) > 0 {
		frames[0].ID = p.head
	}
	return frames, err
}

func drawSession(ctx context.Context, v views.SessionPage, head event.ID, now time.Time) ([]sseFrame, error) {
	parts := append(freshness(head, shownAt(now, formClock, now)),
		partial("#session-title", "outerMorph", views.SessionTitle(v)),
		partial("#actions", "outerMorph", views.ActionBar(v.Actions)),
		partial("#figures", "outerMorph", views.Figures("figures", v.Figures)),
		partial("#context-chart", "outerMorph", views.ChartView(v.Chart)),
		partial("#watermark-card", "outerMorph", views.WatermarkView(v.Mark)),
		partial("#posture-card", "outerMorph", views.PostureView(v.Posture)),
		partial("#passes-card", "outerMorph", views.PassListView(v.Passes)),
		partial("#turns-card", "outerMorph", views.TurnListView(v.Turns)),
		partial("#ledger-card", "outerMorph", views.LedgerView(v.Ledger)),
	)
	return oneFrame(ctx, parts...)
}

// isGone reports whether a session is not there any more.
func isGone(err error) bool { return errors.Is(err, session.ErrNotFound) }

// overviews shares the figures of a range between the tabs that show it: the sums are the dearest thing on the page.
type overviews struct {
	mu   sync.Mutex
	kept map[string]keptOverview
}

type keptOverview struct {
	at time.Time
	o  session.Overview
}

// overviewAge is how old shared figures may be when nothing happened since.
const overviewAge = 10 * time.Second

// get reads the figures, or takes those that somebody read after the event head.
func (v *overviews) get(ctx context.Context, r session.Reader, key string, from, to time.Time, head event.ID) (session.Overview, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k, ok := v.kept[key]; ok && k.o.HeadID >= head && to.Sub(k.at) < overviewAge {
		return k.o, nil
	}
	o, err := r.Overview(ctx, from, to)
	if err != nil {
		return o, err
	}
	if v.kept == nil {
		v.kept = make(map[string]keptOverview)
	}
	v.kept[key] = keptOverview{to, o}
	return o, nil
}
