package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
	"tidemark/internal/tool"
)

// way leads a session to some postures.
type way struct {
	name string
	want string // pairs as "state reason", one a line
	walk func(t *testing.T) (*sessiontest.World, session.ID)
}

// elsewhere are the legal pairs that no session can be led to, with the reason and where they are tested.
var elsewhere = map[string]string{
	"semantic_rejected semantic_turn_range_mismatch": "the engine judges a text for the span it was made for; the gate's tests reach it",
	"semantic_rejected semantic_zero_tokens":         "a text that is not empty has a token; the gate's tests reach it",
}

// TestEveryPosture leads sessions to every legal pair of state and reason (spec 6.6).
func TestEveryPosture(t *testing.T) {
	var mu sync.Mutex
	reached := make(map[string]bool)
	t.Run("ways", func(t *testing.T) {
		for _, way := range postureWays() {
			t.Run(way.name, func(t *testing.T) {
				t.Parallel()
				w, id := way.walk(t)
				settled(t, w, id)
				told := map[string]bool{pair(status(t, w, id).Record.Posture): true}
				for _, p := range postures(t, w, id) {
					told[pair(p)] = true
				}
				for want := range strings.FieldsFuncSeq(way.want, func(r rune) bool { return r == '\n' }) {
					require.True(t, told[strings.TrimSpace(want)], "%s of %v", want, told)
				}
				w.CheckBooks(id)
				mu.Lock()
				defer mu.Unlock()
				for p := range told {
					reached[p] = true
				}
			})
		}
	})
	for _, p := range compaction.LegalPostures() {
		_, other := elsewhere[pair(p)]
		require.NotEqual(t, other, reached[pair(p)], "%s: reached %v, listed as reached elsewhere %v", pair(p), reached[pair(p)], other)
	}
}

func pair(p compaction.Posture) string { return string(p.State) + " " + string(p.Reason) }

func postureWays() []way {
	ways := []way{
		{"fresh", "idle no_active_compaction", fresh(session.NewSession{}, sessiontest.Options{})},
		{"off", "disabled config_disabled", fresh(session.NewSession{Overrides: []byte(`{"enabled":false}`)}, sessiontest.Options{})},
		{"window unknown", "idle window_unknown", fresh(session.NewSession{}, sessiontest.Options{Registry: windows("sim:assistant", 0)})},
		{"link deleted", "summary_link_broken summary_link_missing", brokenLink(`DELETE FROM summaries`)},
		{"link altered", "summary_link_broken summary_link_corrupt", brokenLink(`UPDATE summaries SET text = text || '!'`)},
		{"deferred, deleted", "swap_deferred summary_link_missing", deferredSwap(`DELETE FROM summaries`)},
		{"deferred, altered", "swap_deferred summary_link_corrupt", deferredSwap(`UPDATE summaries SET text = text || '!'`)},
		{"accepted", "semantic_running semantic_in_flight\nsemantic_committed auto_trigger", passing("semantic")},
		{"manual, accepted", "semantic_committed manual_request", manual(`"streaming":{"latency_budget_seconds":30}`, nil)},
		{"overflow, accepted", "semantic_committed overflow_recovery", overflowing("two_phase", 30)},
		{"fold, by a model", "semantic_committed folded", folding("semantic")},
		{"mechanical", "mechanical_active mechanical_only", passing("mechanical")},
		{"semantic off", "mechanical_active semantic_disabled", passing("two_phase", `"streaming":{"semantic_enabled":false}`)},
		{"no money", "mechanical_active budget_exhausted", passing("two_phase", `"max_cost_per_session_usd":"0"`)},
		{"span too large", "mechanical_active span_too_large", windowed("two_phase")},
		{"span too large for a model alone", "semantic_rejected span_too_large", windowed("semantic")},
		{"truncated", "mechanical_active truncated", truncating},
		{"elided", "mechanical_active elided", eliding},
		{"inside a turn", "mechanical_active auto_trigger", inTurn},
		{"overflow, mechanical", "mechanical_active overflow_recovery", overflowing("two_phase", 0)},
		{"fold", "mechanical_active folded", folding("mechanical")},
		{"late", "semantic_ready auto_trigger\nsemantic_ready swap_not_free", lateText(`"swap":"free"`, 1)},
		{"late, swapped", "semantic_committed swap_committed", lateText(`"swap":"next_turn"`, 1)},
		{"late, manual", "mechanical_active manual_request\nsemantic_ready manual_request", lateManual},
		{"late, overflow", "semantic_ready overflow_recovery", lateOverflow},
		{"late, not stored", "mechanical_active persist_failed", unstored},
		{"late, moved on", "semantic_rejected stale_version", movedOn},
		{"staged", "precompact_staged burn_rate\nprecompact_staged prepared\nsemantic_committed prepared", staging},
		{"cooling", "idle cooldown_active", cooling},
		{"undone", "idle undone", undoing},
		{"no boundary", "unavailable no_valid_boundary", noBoundary},
		{"no model", "unavailable semantic_disabled", passing("semantic", `"model":"anthropic:claude-haiku-4-5"`)},
		{"no room", "unavailable trigger_unreachable", noRoom},
		{"thrash", "unavailable thrash_paused", thrashing},
		{"failing again and again", "semantic_rejected semantic_retry_wait", failing(3)},
		{"cancelled", "semantic_rejected semantic_cancelled", cancelling},
		{"wrong language", "semantic_rejected semantic_wrong_language", refused(foreign)},
		{"empty", "semantic_rejected semantic_empty", refused(always(sim.Empty))},
		{"truncated text", "semantic_rejected semantic_truncated", refused(always(sim.MaxTokens))},
		{"refusal", "semantic_rejected semantic_unclassifiable", refused(always(sim.Refusal))},
		{"too long", "semantic_rejected semantic_ratio_exceeded", refused(always(sim.TooLong))},
		{"provider error", "semantic_rejected semantic_provider_error", refused(always(sim.Auth))},
		{"timeout", "semantic_rejected semantic_timeout", refused(always(sim.Hang), `"semantic_timeout_seconds":1`)},
	}
	for _, class := range compaction.FactClasses {
		ways = append(ways, way{"dropped " + string(class), "semantic_rejected " + string(compaction.RetentionDrop(class)), dropping(class)})
	}
	return ways
}

func fresh(n session.NewSession, o sessiontest.Options) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w := sessiontest.Open(t, o)
		return w, w.NewSession(n)
	}
}

// passing talks until a pass has come.
func passing(mode string, knobs ...string) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w := sessiontest.Open(t, sessiontest.Options{})
		id := w.NewSession(small(mode, append(knobs, `"hard_cap_tokens":60000`)...))
		untilPass(t, w, id)
		return w, id
	}
}

// windows gives models another window, as their registry tells it.
func windows(name string, window int) func(provider.Registry) provider.Registry {
	return func(r provider.Registry) provider.Registry { return windowed1{r, name, window} }
}

type windowed1 struct {
	provider.Registry
	name   string
	window int
}

func (r windowed1) Model(name string) (provider.Model, error) {
	m, err := r.Registry.Model(name)
	if err != nil || name != r.name {
		return m, err
	}
	return windowedModel{m, r.window}, nil
}

type windowedModel struct {
	provider.Model
	window int
}

func (m windowedModel) Card() model.Card { return m.Model.Card().WithWindow(m.window) }

func windowed(mode string) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w := sessiontest.Open(t, sessiontest.Options{Registry: windows(model.SimSummarizer, 1200)})
		id := w.NewSession(small(mode, `"hard_cap_tokens":60000`))
		untilPass(t, w, id)
		return w, id
	}
}

func brokenLink(sql string) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w, id := passing("mechanical")(t)
		tamper(t, w.Dir, sql)
		talk(t, w, id, 1, 10)
		return w, id
	}
}

// blind is a store whose transcript cannot be read again while shut is set.
type blind struct {
	session.Store
	shut *bool // touched by the actor and, between turns, by the test
}

func (b blind) Rows(ctx context.Context, id session.ID, s message.Span) ([]message.Message, error) {
	if *b.shut {
		return nil, errors.New("the disk does not answer")
	}
	return b.Store.Rows(ctx, id, s)
}

// late text ------------------------------------------------------------------------------------------------------

const lateKnobs = `"streaming":{"latency_budget_seconds":0,"semantic_timeout_seconds":60,`

// readyText leads a session to a text that waits for its swap.
func readyText(t *testing.T, swap string, o sessiontest.Options) (*sessiontest.World, session.ID) {
	t.Helper()
	release := make(chan struct{})
	o.Registry = holdSummarizer(release)
	w := sessiontest.Open(t, o)
	id := w.NewSession(withLook(small("two_phase", lateKnobs+swap+`}`, `"hard_cap_tokens":60000`)))
	looker(t, w, id, longText)
	p := untilPass(t, w, id)
	require.Equal(t, compaction.CandidateRunning, p.Candidate.State)
	close(release)
	settled(t, w, id)
	require.Equal(t, compaction.CandidateReady, status(t, w, id).Posture.Recent[0].Candidate.State)
	return w, id
}

func lateText(swap string, turns int) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w, id := readyText(t, swap, sessiontest.Options{})
		talk(t, w, id, turns, 10)
		return w, id
	}
}

func lateManual(t *testing.T) (*sessiontest.World, session.ID) {
	release := make(chan struct{})
	defer close(release)
	return manual(lateKnobs+`"swap":"free"}`, release)(t)
}

func manual(streaming string, release chan struct{}) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		o := sessiontest.Options{}
		if release != nil {
			o.Registry = holdSummarizer(release)
		}
		w := sessiontest.Open(t, o)
		id := w.NewSession(small("two_phase", `"threshold_tokens":50000`, `"hard_cap_tokens":90000`, streaming))
		talk(t, w, id, 8, 700)
		_, err := w.Compact(context.Background(), id, "")
		require.NoError(t, err)
		return w, id
	}
}

func lateOverflow(t *testing.T) (*sessiontest.World, session.ID) {
	release := make(chan struct{})
	w, id := overflowingWith(t, "two_phase", 0, sessiontest.Options{Registry: holdSummarizer(release)})
	close(release)
	return w, id
}

// overflowing is refused by the provider once, at the start of a turn that comes after some history. With a latency budget
// of 0 the mechanical summary stands.
func overflowing(mode string, latency int) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		release := make(chan struct{})
		o := sessiontest.Options{}
		if latency == 0 {
			o.Registry = holdSummarizer(release)
		}
		w, id := overflowingWith(t, mode, latency, o)
		close(release)
		return w, id
	}
}

func overflowingWith(t *testing.T, mode string, latency int, o sessiontest.Options) (*sessiontest.World, session.ID) {
	t.Helper()
	o.Faults = overflowOnce("now overflow")
	w := sessiontest.Open(t, o)
	id := w.NewSession(session.NewSession{Overrides: fmt.Appendf(nil, `{"mode":%q,"tail_max_tokens":3000,"streaming":{"latency_budget_seconds":%d}}`, mode, latency)})
	talk(t, w, id, 8, 1500)
	require.Nil(t, w.Say(id, "now overflow").Err)
	return w, id
}

// overflowOnce refuses the first call whose newest message holds a text.
func overflowOnce(mark string) func(sim.Call) sim.Fault {
	var mu sync.Mutex
	left := 1
	return func(c sim.Call) sim.Fault {
		mu.Lock()
		defer mu.Unlock()
		last := c.Request.Messages[len(c.Request.Messages)-1].PlainText()
		if c.Model != model.SimSummarizer && left > 0 && strings.Contains(last, mark) {
			left--
			return sim.Fault{Kind: sim.Overflow}
		}
		return sim.Fault{}
	}
}

func deferredSwap(sql string) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		shut := false
		w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{
			Store: func(s session.Store) session.Store { return blind{s, &shut} },
		})
		shut = true
		tamper(t, w.Dir, sql)
		talk(t, w, id, 1, 10)
		require.Len(t, eventsOf(t, w, id, event.SummarySwapped), 0)
		require.NotEqual(t, "ok", status(t, w, id).Posture.SummaryLink)
		shut = false
		talk(t, w, id, 1, 10) // the repair can read now; the text was made for a view that is gone
		require.Equal(t, "ok", status(t, w, id).Posture.SummaryLink)
		require.Equal(t, compaction.CandidateStale, oldest(passesOf(t, w, id)).Candidate.State)
		return w, id
	}
}

// unswappable is a store that cannot write a swap.
type unswappable struct{ session.Store }

func (unswappable) Swap(context.Context, session.Swap) (session.Commit, error) {
	return session.Commit{}, session.ErrStorage
}

func unstored(t *testing.T) (*sessiontest.World, session.ID) {
	w, id := readyText(t, `"swap":"next_turn"`, sessiontest.Options{
		Store: func(s session.Store) session.Store { return unswappable{s} },
	})
	talk(t, w, id, 1, 10)
	require.Equal(t, compaction.CandidateFailed, oldest(passesOf(t, w, id)).Candidate.State)
	return w, id
}

// movedOn passes again inside a turn while a text waits for a free swap: at the next turn start it is stale.
func movedOn(t *testing.T) (*sessiontest.World, session.ID) {
	w, id := readyText(t, `"swap":"free"`, sessiontest.Options{})
	version := status(t, w, id).Record.Version
	acc, err := w.Prompt(context.Background(), id, text(`read on [[tools look {} look {}]] [[steps 3]] [[fail hang step=4]]`))
	require.NoError(t, err)
	eventually(t, w, id, "a pass inside the turn", func() bool { return status(t, w, id).Record.Version > version })
	require.NoError(t, w.Cancel(context.Background(), id)) // so that no other text is bought
	w.Wait(acc)
	talk(t, w, id, 1, 10)
	require.Equal(t, compaction.CandidateStale, oldest(passesOf(t, w, id)).Candidate.State)
	return w, id
}

// ------------------------------------------------------------------------------------------------------------------

func inTurn(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("two_phase")))
	looker(t, w, id, longText)
	work(t, w, id, 3)
	return w, id
}

func folding(mode string) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w := sessiontest.Open(t, sessiontest.Options{})
		id := w.NewSession(small(mode, `"max_cost_per_session_usd":"5"`))
		for range 80 {
			talk(t, w, id, 1, 900)
			for _, p := range passesOf(t, w, id) {
				if p.Trigger == compaction.TriggerFold && p.Outcome == compaction.OutcomeCompleted {
					return w, id
				}
			}
		}
		t.Fatal("no fold came")
		return w, id
	}
}

// truncating leaves the history at the cap: the newest turns alone are above it, and what may be covered is too little.
func truncating(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: always(sim.Refusal)})
	id := w.NewSession(small("semantic"))
	for status(t, w, id).Record.Passes == 0 {
		talk(t, w, id, 1, 900)
	}
	return w, id
}

// eliding reads more than the window holds inside one turn, where the tail may not be covered.
func eliding(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{
		Model: "sim:replay", Window: 20_000, Tools: []message.ToolSpec{{Name: "look"}},
		Overrides: []byte(`{"mode":"mechanical","reserve_tokens":500,"tail_max_tokens":0,"preserve_recent_turns":50}`),
	})
	looker(t, w, id, longText)
	var script []message.Blocks
	for i := range 12 {
		script = append(script, message.Blocks{message.ToolUse{ID: fmt.Sprintf("c%d", i), Name: "look", Input: []byte("{}")}})
	}
	script = append(script, message.Blocks{message.Text{Text: "done"}})
	res := w.Do(id, session.Prompt{Blocks: message.Blocks{message.Text{Text: "read all"}}, Script: script})
	require.Nil(t, res.Err)
	return w, id
}

func undoing(t *testing.T) (*sessiontest.World, session.ID) {
	w, id := passing("mechanical")(t)
	_, err := w.Undo(context.Background(), id)
	require.NoError(t, err)
	return w, id
}

func noBoundary(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{})
	_, err := w.Compact(context.Background(), id, "")
	require.NoError(t, err)
	return w, id
}

// noRoom has a system text that leaves no room for any history in its window.
func noRoom(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(session.NewSession{Model: "sim:replay", Window: 5_000, System: strings.Repeat("Be exact. ", 1200)})
	w.Do(id, session.Prompt{Blocks: message.Blocks{message.Text{Text: "hello"}}, Script: []message.Blocks{{message.Text{Text: "hi"}}}})
	return w, id
}

// thrashing covers, twice in a row, a request that must be carried along whole: nothing is freed.
func thrashing(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(small("mechanical", `"hard_cap_tokens":60000`, `"tail_max_tokens":4000`)))
	looker(t, w, id, strings.Repeat("nothing new. ", 20))
	request := strings.Repeat("Read the log of the harbor and say what you find in it. ", 208)
	require.Nil(t, w.Say(id, request+`[[tool look {"n":"$n"}]] [[steps 6]]`).Err)
	passes := passesOf(t, w, id)
	require.Len(t, passes, compaction.FutileBeforePause, "then it waits for growth")
	for _, p := range passes {
		require.True(t, p.Futile)
		require.Equal(t, compaction.FailValidationFailed, p.FailureMode)
	}
	return w, id
}

func failing(times int) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w := sessiontest.Open(t, sessiontest.Options{Faults: always(sim.Auth)})
		id := w.NewSession(small("semantic", `"hard_cap_tokens":90000`))
		for len(passesOf(t, w, id)) < times {
			talk(t, w, id, 1, 900)
		}
		talk(t, w, id, 4, 100)
		require.Len(t, passesOf(t, w, id), times, "it waits five turns")
		return w, id
	}
}

func cancelling(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{Faults: always(sim.Hang)})
	id := w.NewSession(small("semantic", `"hard_cap_tokens":60000`))
	running := watch(w, id, kindIs(event.StreamCompaction))
	for {
		acc, err := w.Prompt(context.Background(), id, text("more [[say 900]]"))
		require.NoError(t, err)
		select {
		case <-acc.Done():
		case <-running:
			require.NoError(t, w.Cancel(context.Background(), id))
			require.Equal(t, "cancelled", w.Wait(acc).StopReason)
			return w, id
		}
	}
}

// refused has its candidates turned down.
func refused(faults func(sim.Call) sim.Fault, streaming ...string) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		w := sessiontest.Open(t, sessiontest.Options{Faults: faults})
		knobs := []string{`"hard_cap_tokens":60000`}
		if len(streaming) > 0 {
			knobs = append(knobs, `"streaming":{`+strings.Join(streaming, ",")+`}`)
		}
		id := w.NewSession(withLook(small("two_phase", knobs...)))
		looker(t, w, id, "fine")
		untilPassOf(t, w, id)
		return w, id
	}
}

// staging talks until the next check is near, and over it.
func staging(t *testing.T) (*sessiontest.World, session.ID) {
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(small("two_phase"))
	for len(passesOf(t, w, id)) == 0 {
		talk(t, w, id, 1, 300)
		settled(t, w, id)
	}
	return w, id
}

// cooling prepares twice within the least time between two: the second time it waits.
func cooling(t *testing.T) (*sessiontest.World, session.ID) {
	c := newClock()
	w := sessiontest.Open(t, sessiontest.Options{Now: c.Now, Faults: always(sim.Auth)})
	id := w.NewSession(small("two_phase"))
	for range 20 {
		talk(t, w, id, 1, 200)
		settled(t, w, id)
		if st := status(t, w, id); st.Record.Posture.Reason == compaction.ReasonCooldownActive {
			require.Equal(t, 30, st.Posture.CooldownRemainingS)
			c.advance(29 * time.Second)
			require.Equal(t, 1, status(t, w, id).Posture.CooldownRemainingS)
			return w, id
		}
	}
	t.Fatal("nothing cooled down")
	return w, id
}

// dropping keeps every demanded fact but those of one class.
func dropping(class compaction.FactClass) func(*testing.T) (*sessiontest.World, session.ID) {
	return func(t *testing.T) (*sessiontest.World, session.ID) {
		var w *sessiontest.World
		var id session.ID
		var mu sync.Mutex
		counts := make(map[compaction.FactClass]int)
		w = sessiontest.Open(t, sessiontest.Options{Faults: func(c sim.Call) sim.Fault {
			if c.Model != model.SimSummarizer {
				return sim.Fault{}
			}
			kept := "The work went on as it was asked, and the notes below say how far it came by now.\n"
			seen := make(map[compaction.FactClass]int)
			for _, f := range openFacts(t, w, id) {
				seen[f.Class]++
				if f.Class != class {
					kept += "- " + f.Text + "\n"
				}
			}
			mu.Lock()
			for c, n := range seen {
				counts[c] = max(counts[c], n)
			}
			mu.Unlock()
			return sim.Fault{Kind: sim.Say, Text: kept}
		}})
		id = w.NewSession(session.NewSession{
			Model: "sim:replay", Tools: []message.ToolSpec{{Name: "Bash"}, {Name: "Edit"}, {Name: "TodoWrite"}},
			Overrides: small("two_phase", `"hard_cap_tokens":60000`, `"check":"turn"`, `"max_tokens":3000`, `"max_cost_per_session_usd":"9"`).Overrides,
		})
		tellAll(t, w, id, class == compaction.ClassSummaryLink)
		mu.Lock()
		defer mu.Unlock()
		require.Positive(t, counts[class], "the span has no fact of the class: %v", counts)
		return w, id
	}
}

// openFacts are the facts that the open pass demands, made again from what is stored.
func openFacts(t *testing.T, w *sessiontest.World, id session.ID) []compaction.Fact {
	ctx := context.Background()
	rec, err := w.Store.Record(ctx, id)
	require.NoError(t, err)
	page, err := w.Store.Passes(ctx, id, "", 5000)
	require.NoError(t, err)
	n := len(page.Items)
	if n == 0 || page.Items[n-1].Outcome != compaction.OutcomeOpen {
		return nil // work that is prepared ahead of a pass
	}
	p := page.Items[n-1]
	digests, err := w.Store.Digests(ctx, id, p.Span())
	require.NoError(t, err)
	opt := compaction.MechanicalOptions{MaxTokens: rec.Compaction.SummaryLimit(p.SpanTokenCountIn)}
	view, err := w.Store.ViewSummaries(ctx, id)
	require.NoError(t, err)
	if n := len(view); n > 0 {
		opt.Link = &compaction.SummaryLink{ID: view[n-1].ID, Version: rec.Version, Span: view[n-1].Span}
	}
	return compaction.Mechanical(digests, opt).Facts
}

// tellAll plays turns that hold facts of every class until a pass has come, or two of them for the link between two.
func tellAll(t *testing.T, w *sessiontest.World, id session.ID, twice bool) {
	t.Helper()
	bash := func(id, command string) message.ToolUse {
		return message.ToolUse{ID: id, Name: "Bash", Input: []byte(`{"command":"` + command + `"}`)}
	}
	results := map[string]tool.Answer{
		"test": {Content: message.Blocks{message.Text{Text: "ok  \texample.org/harbor/internal/tide\t0.029s"}}},
		"fail": {Content: message.Blocks{message.Text{Text: "Exit code 1\nfatal: no such remote harbor"}}, IsError: true},
		"slow": {Content: message.Blocks{message.Text{Text: "12 tides\nwarning: rate limit reached (429 Too Many Requests), retry after 20s"}}},
		"deny": {Content: message.Blocks{message.Text{Text: "The user doesn't want to proceed with this tool use. The tool use was rejected."}}, IsError: true},
	}
	detach, err := w.Attach(context.Background(), id, sessiontest.Client{Tool: func(_ context.Context, r tool.Request) (tool.Answer, error) {
		kind, _, _ := strings.Cut(r.Call.CallID, "_")
		if a, ok := results[kind]; ok {
			return a, nil
		}
		return tool.Answer{Content: message.Blocks{message.Text{Text: "done"}}}, nil
	}})
	require.NoError(t, err)
	defer detach()
	want := 1
	if twice {
		want = 2
	}
	for i := range 60 {
		script := []message.Blocks{
			{message.Text{Text: "The root cause is that HighWater adds offsets to a UTC day."}, message.ToolUse{
				ID: fmt.Sprintf("edit_%d", i), Name: "Edit", Input: []byte(`{"file_path":"/srv/harbor/offsets.go","old_string":"a","new_string":"b"}`),
			}},
			{bash(fmt.Sprintf("test_%d", i), "go test ./internal/tide/..."), bash(fmt.Sprintf("fail_%d", i), "git fetch harbor"), bash(fmt.Sprintf("slow_%d", i), "curl https://api.example/tides")},
			{bash(fmt.Sprintf("deny_%d", i), "git push origin main")},
			{message.Text{Text: strings.Repeat("The table is read again and the hours are compared with the harbor's own list. ", 12)}},
		}
		prompt := fmt.Sprintf("Count lanterns along the northern quay, number %d, and compare them with almanac pages of last winter.", i)
		switch i {
		case 0:
			prompt += " Never touch the files under vendor. Ask me before you commit to the branch."
		case 1:
			prompt = "The service says: rate limit reached (429 Too Many Requests), retry after 20 seconds."
		}
		res := w.Do(id, session.Prompt{Blocks: message.Blocks{message.Text{Text: prompt}}, Script: script})
		require.Nil(t, res.Err)
		applied := 0
		for _, p := range passesOf(t, w, id) {
			if p.Trigger != compaction.TriggerFold && p.At == compaction.AtTurnStart {
				applied++
			}
		}
		if applied >= want {
			return
		}
	}
	t.Fatal("no pass came")
}
