package compaction

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/model"
	"tidemark/internal/provider"
)

// fakeModel answers with the functions it is given, the last one over and over.
type fakeModel struct {
	card    model.Card
	answers []answer

	mu    sync.Mutex
	calls int
	asked []provider.Request
}

// answer plays one call.
type answer func(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool)

func newFakeModel(answers ...answer) *fakeModel {
	card, _ := model.Default().Lookup(model.SimSummarizer)
	return &fakeModel{card: card, answers: answers}
}

func (m *fakeModel) Card() model.Card { return m.card }

func (m *fakeModel) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	m.mu.Lock()
	a := m.answers[min(m.calls, len(m.answers)-1)]
	m.calls++
	m.asked = append(m.asked, req)
	m.mu.Unlock()
	return func(yield func(provider.Chunk, error) bool) { a(ctx, req, yield) }
}

func (m *fakeModel) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

// says streams the text in one piece and ends with the stop reason.
func says(text string, stop provider.StopReason) answer {
	return func(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
		var blocks message.Blocks
		if text != "" {
			blocks = message.Blocks{message.Text{Text: text}}
			if !yield(provider.TextDelta{Text: text}, nil) {
				return
			}
		}
		yield(provider.Done{
			Blocks: blocks, Stop: stop, RequestID: "req_1", Usage: message.Usage{Input: 1000, Output: 200},
		}, nil)
	}
}

func ends(text string) answer { return says(text, provider.StopEndTurn) }

// fails ends the call with an error before any output.
func fails(class provider.ErrorClass, after time.Duration) answer {
	return func(_ context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
		yield(nil, &provider.Error{Class: class, Status: 429, Message: "try again later", RetryAfter: after})
	}
}

// hangs sends the text and waits for the end of the context.
func hangs(text string) answer {
	return func(ctx context.Context, _ provider.Request, yield func(provider.Chunk, error) bool) {
		if text != "" && !yield(provider.TextDelta{Text: text}, nil) {
			return
		}
		<-ctx.Done()
		yield(nil, provider.AsError(ctx.Err()))
	}
}

// fakeRegistry knows one model under every name but "none:".
type fakeRegistry struct{ m provider.Model }

func (r fakeRegistry) Model(name string) (provider.Model, error) {
	if strings.HasPrefix(name, "none:") {
		return nil, fmt.Errorf("no key for %s", name)
	}
	return r.m, nil
}

// memoryCache is a summary cache in memory.
type memoryCache struct {
	mu     sync.Mutex
	rows   map[string]CacheRow
	reads  int // hits
	writes int
}

func (c *memoryCache) Read(_ context.Context, key string) (CacheRow, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	row, ok := c.rows[key]
	if ok {
		row.UseCount++
		c.rows[key] = row
		c.reads++
	}
	return row, ok
}

func (c *memoryCache) Write(_ context.Context, row CacheRow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = make(map[string]CacheRow)
	}
	row.UseCount = 1
	c.rows[row.Key] = row
	c.writes++
}

func (c *memoryCache) all() map[string]CacheRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.rows)
}

// honest is a summary that passes the checks of 4.6 for testJob.
const honest = "The user wants the importer fixed. Decision: keep SQLite."

// testJob is a span of a few thousand tokens.
func testJob() Job {
	rows := testSpan(8)
	return Job{
		SessionID: "s1", Rows: rows, Model: "sim:summarizer", MaxTokens: 4096, PromptVersion: "1.0.0",
		Timeout: 2 * time.Minute, SpanTokens: 4000,
	}
}

// testSpan has n turns of a question, a call, its result and an answer.
func testSpan(n int) []message.Message {
	var rows []message.Message
	for i := range n {
		id := fmt.Sprintf("call_%d", i)
		rows = append(rows,
			message.NewUser(message.Text{Text: fmt.Sprintf("Please fix the importer, part %d.", i)}),
			message.NewAssistant(
				message.Text{Text: "I read the file first."},
				message.ToolUse{ID: id, Name: "read_file", Input: []byte(`{"path":"internal/importer.go"}`)},
			),
			message.NewUser(message.TextResult(id, strings.Repeat("line of code\n", 60), false)),
			message.NewAssistant(message.Text{Text: "The importer is fixed."}),
		)
	}
	for i := range rows {
		rows[i].Seq = message.Seq(i)
	}
	return rows
}

// bench puts a summarizer over a fake model and an empty cache.
type rig struct {
	*Summarizer
	model *fakeModel
	cache *memoryCache
}

func newRig(answers ...answer) *rig {
	m, c := newFakeModel(answers...), &memoryCache{}
	return &rig{NewSummarizer(fakeRegistry{m}, c, SummarizerConfig{}), m, c}
}

func (r *rig) prepare(t testing.TB, job Job) Prepared {
	t.Helper()
	p, err := r.Prepare(job)
	require.NoError(t, err)
	return p
}

// fail runs the job and returns its *SummaryError.
func (r *rig) fail(t testing.TB, p Prepared) *SummaryError {
	t.Helper()
	_, err := r.Summarize(t.Context(), p, nil, nil)
	var se *SummaryError
	require.ErrorAs(t, err, &se)
	return se
}
