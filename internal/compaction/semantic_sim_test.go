package compaction

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
	"tidemark/internal/provider/sim"
)

// simRig is a summarizer over the simulated provider.
func simRig(faults func(sim.Call) sim.Fault) (*Summarizer, *memoryCache) {
	c := &memoryCache{}
	return NewSummarizer(sim.New(sim.Config{Faults: faults}), c, SummarizerConfig{}), c
}

// simSpan is a session with goals, a prohibition, a decision, runs that pass and fail, and secrets.
func simSpan() []message.Message {
	var rows []message.Message
	asks := []string{
		"Please make the importer in internal/importer/csv.go stream its rows. Never push to main and do not open a pull request.",
		"Then run the tests, and if they are green write a benchmark for it.",
		"What is the state of the benchmark, and does it read the large fixture?",
	}
	for i, ask := range asks {
		id := fmt.Sprintf("toolu_%d", i)
		rows = append(rows,
			message.NewUser(message.Text{Text: ask}),
			message.NewAssistant(
				message.Text{Text: "I'll use encoding/csv instead of gocsv because it streams."},
				message.ToolUse{ID: id, Name: "bash", Input: []byte(`{"command":"go test ./internal/importer"}`)},
			),
			message.NewUser(message.TextResult(id, strings.Repeat("=== RUN TestImport\n--- PASS: TestImport (0.01s)\n", 120)+"ok internal/importer 0.21s", false)),
			message.NewAssistant(message.Text{Text: "The importer streams now and the tests are green."}),
		)
	}
	for i := range rows {
		rows[i].Seq = message.Seq(i)
		rows[i].Count()
	}
	return rows
}

// twoPhaseJob is what a session makes of a span in two_phase: the mechanical facts are to be kept.
func twoPhaseJob(rows []message.Message) (Job, MechanicalSummary) {
	var ds []Digest
	tokens := 0
	for i := range rows {
		var uses []message.ToolUse
		if i > 0 {
			uses = rows[i-1].ToolUses()
		}
		ds = append(ds, ExtractRow(rows[i], uses))
		tokens += rows[i].Tokens
	}
	mech := Mechanical(ds, MechanicalOptions{MaxTokens: DefaultConfig().SummaryLimit(tokens)})
	return Job{
		SessionID: "s1", Rows: rows, Facts: mech.Facts, Model: model.SimSummarizer, MaxTokens: 4096,
		PromptVersion: PromptVersionFor("1.0.0", true, false), Timeout: 2 * time.Minute, SpanTokens: tokens,
	}, mech
}

func gateFor(job Job, text Text) GateVerdict {
	span := message.Span{Start: 0, End: message.Seq(len(job.Rows))}
	var user strings.Builder
	for _, m := range job.Rows {
		if m.OpensTurn() {
			user.WriteString(m.PlainText() + "\n")
		}
	}
	return Gate(GateInput{
		Text: text.Text, Stop: text.Stop, SpanTokens: job.SpanTokens, TokensOut: text.TokensOut, Span: span, Expect: span,
		Facts: job.Facts, UserText: user.String(),
	})
}

// The whole way with the simulated summarizer: facts in, a text that keeps them out, a hit the second time.
func TestSummarizer_Sim(t *testing.T) {
	job, mech := twoPhaseJob(simSpan())
	require.NotEmpty(t, mech.Facts)
	s, cache := simRig(nil)
	p, err := s.Prepare(job)
	require.NoError(t, err)
	require.True(t, p.Fits)
	got, err := s.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	v := gateFor(job, got)
	require.True(t, v.Accepted, "%s %v\n%s", v.Reason, v.Missing, got.Text)
	require.Contains(t, got.Text, "Never push to main and do not open a pull request")
	require.NotContains(t, got.Text, "<past_", "no tag of ours in a summary")
	require.Len(t, got.Calls, 1)
	require.LessOrEqual(t, got.Calls[0].CostUSD.Cmp(p.Price.USD), 0, "the quote is an upper bound")
	require.Len(t, cache.all(), 1)
	again, err := s.Summarize(t.Context(), p, nil, nil)
	require.NoError(t, err)
	require.True(t, again.CacheHit)
	require.Equal(t, got.Text, again.Text)
}

// A mechanical summary keeps its own facts: the gate can be passed by what it is compared with.
func TestGate_MechanicalSummaryPasses(t *testing.T) {
	job, mech := twoPhaseJob(simSpan())
	v := gateFor(job, Text{Text: mech.Text, TokensOut: mech.Tokens, Stop: provider.StopEndTurn})
	require.True(t, v.Accepted, "%s %v\n%s", v.Reason, v.Missing, mech.Text)
}

func TestSummarizer_SimFaults(t *testing.T) {
	for _, tc := range []struct {
		kind   sim.Kind
		reason Reason
		calls  int
	}{
		{sim.RateLimit, ReasonSemanticProviderError, 3},
		{sim.Overload, ReasonSemanticProviderError, 3},
		{sim.ServerError, ReasonSemanticProviderError, 3},
		{sim.Network, ReasonSemanticProviderError, 3},
		{sim.Auth, ReasonSemanticProviderError, 1},
		{sim.Invalid, ReasonSemanticProviderError, 1},
		{sim.Overflow, ReasonSemanticProviderError, 1},
		{sim.Hang, ReasonSemanticTimeout, 1},
		{sim.Cut, ReasonSemanticProviderError, 1},
		{sim.Empty, ReasonSemanticEmpty, 1},
		{sim.Blank, ReasonSemanticEmpty, 1},
		{sim.Refusal, ReasonSemanticUnclassifiable, 1},
		{sim.MaxTokens, ReasonSemanticTruncated, 1},
		{sim.ToolCall, ReasonSemanticUnclassifiable, 1},
		{sim.TooLong, ReasonSemanticRatioExceeded, 1},
		{sim.MissingFacts, RetentionDrop(ClassUserConstraint), 1},
		{sim.WrongLanguage, ReasonSemanticWrongLanguage, 1},
	} {
		t.Run(string(tc.kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, cache := simRig(sim.Always(model.SimSummarizer, sim.Fault{Kind: tc.kind}))
				job, _ := twoPhaseJob(simSpan())
				if tc.kind == sim.WrongLanguage {
					job.Facts = nil
				}
				p, err := s.Prepare(job)
				require.NoError(t, err)
				_, err = s.Summarize(t.Context(), p, func(text string) error {
					if v := gateFor(job, hit(text, "", 0)); !v.Accepted {
						return &VerdictError{v}
					}
					return nil
				}, nil)
				var se *SummaryError
				require.ErrorAs(t, err, &se)
				require.Equal(t, tc.reason, se.Reason, se.Message)
				require.Len(t, se.Text.Calls, tc.calls)
				require.Empty(t, cache.all())
			})
		})
	}
}

// One repair call names what was dropped, and its answer passes (spec 6.3).
func TestSummarizer_SimRepair(t *testing.T) {
	s, cache := simRig(sim.InTurn(model.SimSummarizer, sim.Fault{Kind: sim.MissingFacts}))
	job, _ := twoPhaseJob(simSpan())
	p, err := s.Prepare(job)
	require.NoError(t, err)
	judge := func(text string) error {
		if v := gateFor(job, hit(text, "", 0)); !v.Accepted {
			return &VerdictError{v}
		}
		return nil
	}
	_, err = s.Summarize(t.Context(), p, judge, nil)
	var se *SummaryError
	require.ErrorAs(t, err, &se)
	require.NotEmpty(t, se.Text.Text)
	require.NotEmpty(t, se.Verdict.Missing)

	fix := s.PrepareRepair(p, se.Text.Text, se.Verdict.Missing)
	got, err := s.Summarize(t.Context(), fix, judge, nil)
	require.NoError(t, err)
	require.Len(t, got.Calls, 1)
	require.Empty(t, cache.all(), "a repair's answer is not cached")
}

// A span in another language keeps it, and is judged in it.
func TestSummarizer_SimKeepsTheLanguage(t *testing.T) {
	for lang, text := range samples {
		var rows []message.Message
		for i := range 6 {
			rows = append(rows,
				message.NewUser(message.Text{Text: strings.Repeat(text+" ", 3)}),
				message.NewAssistant(message.Text{Text: strings.Repeat(text+" ", 12)}),
			)
			rows[2*i].Seq, rows[2*i+1].Seq = message.Seq(2*i), message.Seq(2*i+1)
		}
		job, _ := twoPhaseJob(rows)
		s, _ := simRig(nil)
		p, err := s.Prepare(job)
		require.NoError(t, err)
		got, err := s.Summarize(t.Context(), p, nil, nil)
		require.NoError(t, err, lang)
		v := gateFor(job, got)
		require.True(t, v.Accepted, "%s: %s\n%s", lang, v.Reason, got.Text)
	}
}
