package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/tool"
)

// ended is one call with its outcome.
type ended struct {
	use     message.ToolUse
	out     tool.Outcome
	took    time.Duration
	unshown bool // its end is told with the results
}

// startTools runs the calls of the newest row in parallel. The results of a step are stored together, in the order of
// the calls (spec 3.1).
func (a *actor) startTools() {
	run := a.state.turn
	uses := a.state.usesBefore()
	t := a.tell()
	for _, u := range uses {
		t.row(event.StreamToolUpdate, event.ToolUpdate{CallID: u.ID, Status: "in_progress"})
		t.event(event.ToolStarted, event.ToolPayload{SessionID: a.id, TurnID: run.turn.ID, ToolCallID: u.ID, Name: u.Name})
	}
	a.append(t)
	ctx, turnID := run.ctx.ctx, run.turn.ID
	a.launch(func() func() {
		results := a.callAll(ctx, turnID, uses)
		return func() { a.finishTools(results) }
	})
}

// callAll runs the calls and shows each end as it comes, but for the last, whose end is told with the results.
func (a *actor) callAll(ctx context.Context, turnID string, uses []message.ToolUse) []ended {
	results := make([]ended, len(uses))
	var wg sync.WaitGroup
	var open atomic.Int64
	open.Store(int64(len(uses)))
	for i, u := range uses {
		wg.Go(func() {
			began := time.Now()
			results[i] = ended{use: u, out: a.callOne(ctx, turnID, u), took: time.Since(began)}
			if results[i].unshown = open.Add(-1) == 0; !results[i].unshown {
				a.do(func() { t := a.tell(); a.tellEnded(t, results[i]); a.append(t) })
			}
		})
	}
	wg.Wait()
	return results
}

// callOne runs one call: unknown tools and refused permissions are outcomes that the model reads.
func (a *actor) callOne(ctx context.Context, turnID string, u message.ToolUse) tool.Outcome {
	t, ok := a.tools()[u.Name]
	if !ok {
		return tool.ErrorOutcome(tool.ClassUnknown, fmt.Sprintf("There is no tool named %q in this session.", u.Name))
	}
	c := tool.Call{SessionID: a.id, TurnID: turnID, CallID: u.ID, Name: u.Name, Input: u.Input}
	if t.SideEffects() {
		if denied := a.permit(ctx, c); denied != nil {
			return *denied
		}
	}
	out := t.Call(ctx, c)
	if ctx.Err() != nil {
		return tool.ErrorOutcome(tool.ClassCancelled, interruptedResult)
	}
	return out
}

// permit asks the attached clients whether a call with side effects may run; nil means yes.
func (a *actor) permit(ctx context.Context, c tool.Call) *tool.Outcome {
	var ans tool.Answer
	a.do(func() { ans.Allowed, ans.Always = a.permits[c.Name] })
	if ans.Always {
		return refusal(ans)
	}
	ans, err := a.clients.Ask(ctx, tool.Request{Kind: tool.RequestPermission, Call: c, Title: c.Name}, tool.AskTimeout)
	switch {
	case ctx.Err() != nil:
		out := tool.ErrorOutcome(tool.ClassCancelled, interruptedResult)
		return &out
	case err != nil:
		out := tool.ErrorOutcome(tool.ClassDenied, "Permission for this call was not given: "+err.Error()+".")
		return &out
	case ans.Always:
		a.do(func() { a.permits[c.Name] = ans.Allowed })
	}
	return refusal(ans)
}

// refusal is what the model reads when the user said no; nil when he allowed the call.
func refusal(ans tool.Answer) *tool.Outcome {
	if ans.Allowed {
		return nil
	}
	out := tool.ErrorOutcome(tool.ClassDenied, "The user denied permission for this call.")
	return &out
}

// finishTools stores the results as one user row.
func (a *actor) finishTools(results []ended) {
	run := a.state.turn
	if run.cancelled || a.ctx.Err() != nil {
		return // finishTurn answers the open calls
	}
	uses := a.state.usesBefore()
	blocks := make([]message.Block, len(results))
	for i, r := range results {
		blocks[i] = message.ToolResult{ToolUseID: r.use.ID, Content: cleanContent(r.out.Content), IsError: r.out.IsError}
	}
	m := message.NewUser(blocks...)
	m.Seq, m.TurnID, m.CreatedAt = a.state.index.End(), run.turn.ID, a.deps.Now().UTC()
	digest := compaction.ExtractRow(m, uses)
	t := a.tell()
	a.tellEnded(t, results[lastEnded(results)])
	c, ok := a.mustCommit("answer tools", func(ctx context.Context) (Commit, error) {
		return a.deps.Store.AnswerTools(ctx, AnswerTools{SessionID: a.id, TurnID: run.turn.ID, Message: m, Digest: digest, Out: t.out})
	})
	if !ok {
		return
	}
	a.state.appendRows(c.Messages, digest)
	if a.state.rec.Compaction.Check == compaction.CheckStep || a.state.wish != nil {
		run.check = newCheck(compaction.AtStep)
	}
}

// lastEnded is the call whose end was not shown yet.
func lastEnded(results []ended) int {
	for i := range results {
		if results[i].unshown {
			return i
		}
	}
	return len(results) - 1
}

func (a *actor) tellEnded(t *teller, e ended) {
	run := a.state.turn
	status, kind := "completed", event.ToolCompleted
	if e.out.IsError {
		status, kind = "failed", event.ToolFailed
	}
	t.row(event.StreamToolUpdate, event.ToolUpdate{
		CallID: e.use.ID, Status: status, Content: toolContent(e.out.Content), Cancelled: e.out.Class == tool.ClassCancelled,
	})
	t.event(kind, event.ToolPayload{
		SessionID: a.id, TurnID: run.turn.ID, ToolCallID: e.use.ID, Name: e.use.Name, Bytes: e.out.Content.Units(),
		DurationMS: e.took.Milliseconds(), ErrorClass: string(e.out.Class),
	})
}

// cleanContent drops blank texts, which a history may not hold beside other blocks (spec 3.3), and makes the others
// valid UTF-8, so that counts and bytes are the same before and after a restart.
func cleanContent(in message.Blocks) message.Blocks {
	var out message.Blocks
	for _, b := range in {
		if t, ok := b.(message.Text); ok {
			t.Text = strings.ToValidUTF8(t.Text, "\uFFFD")
			if strings.TrimSpace(t.Text) == "" {
				continue
			}
			b = t
		}
		out = append(out, b)
	}
	return out
}
