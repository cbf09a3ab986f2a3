package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

// life is a session to which anything happens, by one seed.
type life struct {
	t     *testing.T
	r     *rand.Rand
	w     *sessiontest.World
	clock *clock
	dir   string
	id    session.ID
	asked *calls
	left  atomic.Int64 // writes until the process dies
	story []string     // what was done, for the reader of a failure
}

// TestAnyLife does random things to sessions (prompts of every kind, stops, passes by hand, undos, restarts, other models
// and modes, broken summaries, long pauses) and holds them to their books after each: invariants 1, 2, 3, 5, 6, 8, 9, 10.
func TestAnyLife(t *testing.T) {
	seeds, steps := 6, 25
	if proving() {
		seeds, steps = 300, 60
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := &life{t: t, r: rand.New(rand.NewPCG(uint64(seed), 7)), clock: newClock(), dir: t.TempDir(), asked: assistantCalls()}
			l.open()
			l.id = l.w.NewSession(l.knobs())
			for range steps {
				l.step()
				if t.Failed() {
					t.Fatalf("seed %d: %v", seed, l.story)
				}
			}
		})
	}
}

func (l *life) open() {
	l.left.Store(1 << 40)
	l.w = sessiontest.Open(l.t, sessiontest.Options{
		Dir: l.dir, Now: l.clock.Now, Faults: l.asked.hook(l.faults()),
		Store: func(s session.Store) session.Store { return crashing{s, &l.left} },
	})
}

// faults strike one call in six of the summarizer.
func (l *life) faults() func(sim.Call) sim.Fault {
	kinds := []sim.Kind{sim.Empty, sim.Refusal, sim.MaxTokens, sim.Cut, sim.Overload, sim.Auth, sim.TooLong, sim.MissingFacts, sim.WrongLanguage}
	seed := l.r.Uint64()
	return func(c sim.Call) sim.Fault {
		n := rand.New(rand.NewPCG(seed, uint64(c.Number))).IntN(6 * len(kinds))
		if c.Model != model.SimSummarizer || n >= len(kinds) {
			return sim.Fault{}
		}
		return sim.Fault{Kind: kinds[n]}
	}
}

func (l *life) pick(of ...string) string { return of[l.r.IntN(len(of))] }

func (l *life) knobs() session.NewSession {
	knobs := fmt.Sprintf(`{"mode":%q,"threshold_tokens":3000,"hard_cap_tokens":%d,"tail_max_tokens":%d,"max_tokens":900,"check":%q,
		"preserve_recent_turns":%d,"max_cost_per_session_usd":%q,"streaming":{"latency_budget_seconds":%d,"swap":%q}}`,
		l.pick("two_phase", "two_phase", "semantic", "mechanical"), 5000+l.r.IntN(3000), l.r.IntN(3)*1500, l.pick("step", "step", "turn"),
		1+l.r.IntN(4), l.pick("0", "0.02", "5"), l.r.IntN(2)*5, l.pick("free", "next_turn"))
	l.story = append(l.story, knobs)
	return withLook(session.NewSession{Overrides: json.RawMessage(knobs)})
}

// step does one thing and looks at what it left.
func (l *life) step() {
	l.clock.advance(time.Duration(l.r.IntN(40)) * time.Second)
	switch n := l.r.IntN(20); {
	case n < 9:
		l.turn()
	case n < 11:
		l.stop()
	case n < 12:
		_, err := l.w.Compact(context.Background(), l.id, l.pick("", "the ports"))
		l.did("compact", err, session.ErrCompaction)
	case n < 14:
		_, err := l.w.Undo(context.Background(), l.id)
		l.did("undo", err, session.ErrNothingToUndo)
	case n < 16:
		l.restart()
	case n < 17:
		o := session.Options{Model: l.pick("sim:assistant", "sim:free"), CompactionMode: compaction.Mode(l.pick("two_phase", "semantic", "mechanical"))}
		_, err := l.w.SetOptions(context.Background(), l.id, o)
		l.did(fmt.Sprint(o), err)
	case n < 18:
		l.clock.advance(10 * time.Minute)
		l.did("pause", nil)
	case n < 19:
		l.tamper()
	default:
		l.crash()
	}
	l.w.CheckBooks(l.id)
}

func (l *life) did(what string, err error, allowed ...error) {
	l.story = append(l.story, what)
	for _, a := range allowed {
		if errors.Is(err, a) {
			return
		}
	}
	require.NoError(l.t, err, "%v", l.story)
}

// ask is a prompt of any kind.
func (l *life) ask() string {
	ask := fmt.Sprintf("Part %d of the report. Never open port %d. [[say %d]]", l.r.IntN(100), 8000+l.r.IntN(99), 50+l.r.IntN(1500))
	if l.r.IntN(2) == 0 {
		ask += fmt.Sprintf(` [[tools look {"n":"$n"} look {}]] [[steps %d]]`, 1+l.r.IntN(4))
	}
	if l.r.IntN(8) == 0 {
		ask += ` [[tool summarize_session {"focus":"ports"}]]`
	}
	if l.r.IntN(4) == 0 {
		ask += " " + l.pick("[[empty]]", "[[refuse]]", "[[max_tokens]]", "[[no_usage]]", "[[fail cut]]", "[[fail overflow once]]", "[[fail rate_limit once]]",
			"[[think 200]]", "[[fail overload]]", "[[fail overflow step=2]]")
	}
	return ask
}

func (l *life) attach() func() {
	detach, err := l.w.Attach(context.Background(), l.id, sessiontest.Client{Tool: func(ctx context.Context, _ tool.Request) (tool.Answer, error) {
		return tool.Answer{Content: message.Blocks{message.Text{Text: longText[:200+l.clock.Now().Second()*100]}}}, ctx.Err()
	}})
	require.NoError(l.t, err)
	return detach
}

func (l *life) turn() {
	defer l.attach()()
	ask := l.ask()
	l.story = append(l.story, ask)
	l.w.Say(l.id, ask)
}

// stop cancels a turn after some of its rows.
func (l *life) stop() {
	defer l.attach()()
	rows := l.w.Bus.SubscribeSession(l.id, 0)
	defer rows.Close()
	ask := l.ask() + " [[slow 1ms]]"
	l.story = append(l.story, "stop "+ask)
	acc, err := l.w.Prompt(context.Background(), l.id, text(ask))
	require.NoError(l.t, err)
	for range l.r.IntN(12) {
		select {
		case <-rows.C:
		case <-acc.Done():
		}
	}
	require.NoError(l.t, l.w.Cancel(context.Background(), l.id))
	l.w.Wait(acc)
}

// restart ends the process, at rest or while something runs, and compares what the next request is made of.
func (l *life) restart() {
	l.story = append(l.story, "restart")
	l.w.Settle(l.id)
	before := l.next()
	l.w.End()
	l.open()
	require.Equal(l.t, before, l.next(), "the view before and after a restart: %v", l.story)
}

// crash ends the process before some write of a turn, or of what follows it.
func (l *life) crash() {
	ask := l.ask()
	n := int64(l.r.IntN(60))
	l.story = append(l.story, fmt.Sprintf("crash before write %d of %s", n, ask))
	detach := l.attach()
	l.left.Store(n)
	if acc, err := l.w.Prompt(context.Background(), l.id, text(ask)); err == nil {
		l.w.Wait(acc)
		_, _ = l.w.Undo(context.Background(), l.id)
	}
	detach()
	l.w.End()
	l.open()
}

// next is what the next request would be made of, by what is stored and what is live.
func (l *life) next() string {
	view, err := l.w.Store.ViewSummaries(context.Background(), l.id)
	require.NoError(l.t, err)
	st := status(l.t, l.w, l.id)
	for i := range st.Posture.Recent {
		p := &st.Posture.Recent[i]
		p.CreatedAt = time.Time{}
		if c := p.Candidate; c != nil && c.State == compaction.CandidateReady && c.CacheKey == "" {
			c.State, c.Reason = compaction.CandidateStale, string(compaction.ReasonStaleVersion) // no cache keeps it
		}
	}
	return string(mustMarshal(l.t, []any{view, st.Posture.Watermark, st.Posture.PendingTokens, st.Posture.SummaryTokens, st.Posture.TailTokens, st.Posture.ElidedResults, st.Record.Version, st.Posture.Recent}))
}

// tamper breaks a summary of the view: the next turn mends it.
func (l *life) tamper() {
	if len(viewOf(l.t, l.w, l.id)) == 0 {
		return
	}
	sql := l.pick(
		`DELETE FROM summaries WHERE id = (SELECT id FROM summaries WHERE in_view = 1 ORDER BY span_start DESC LIMIT 1)`,
		`UPDATE summaries SET text = substr(text, 1, 30) WHERE id = (SELECT id FROM summaries WHERE in_view = 1 ORDER BY span_start LIMIT 1)`,
	)
	l.story = append(l.story, sql)
	l.w.Settle(l.id)
	tamper(l.t, l.dir, sql)
	l.turn()
	st := status(l.t, l.w, l.id)
	require.Empty(l.t, compaction.LinkCheck(viewOf(l.t, l.w, l.id), st.Posture.Watermark), "%v", l.story)
	require.Equal(l.t, "ok", st.Posture.SummaryLink)
}
