package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/views"
)

// Bounds of the session page: what it reads at most of each list.
const (
	readPage  = 5000
	readPages = 10
)

// getOpsSession draws one session in figures, for operators and for its owner.
func (s *Server) getOpsSession(c echo.Context) error {
	ctx, r := c.Request().Context(), s.reader(c)
	epoch, _, head, err := s.Reader.EventHead(ctx)
	if err != nil {
		return err
	}
	rec, err := s.record(ctx, r.who, c.Param("id"), maySee)
	if err != nil {
		return err
	}
	facts, err := s.sessionFacts(ctx, rec)
	if err != nil {
		return err
	}
	page := newSessionPage(r, facts)
	page.Page = views.Page{
		Title: page.Title, Nav: views.NavOps, Who: r.viewer(), Styles: []string{"ops.css"}, Scripts: []string{"ops.js", "actions.js"}, Live: true,
	}
	page.Head = number(head)
	page.Stream = "/ops/stream?" + url.Values{"session": {rec.ID}, "after": {feedID(epoch, head)}}.Encode()
	return render(c, http.StatusOK, views.Session(page))
}

// sessionFacts reads everything the page of a session shows.
func (s *Server) sessionFacts(ctx context.Context, rec session.Record) (f sessionFacts, err error) {
	f.rec, f.info = rec, session.NewInfo(rec)
	if f.posture, err = s.postureRecord(ctx, rec); err != nil {
		return f, err
	}
	if f.turns, _, err = readAll(ctx, rec.ID, s.Reader.Turns); err != nil {
		return f, err
	}
	if f.passes, _, err = readAll(ctx, rec.ID, s.Reader.Passes); err != nil {
		return f, err
	}
	f.ledger, f.more, err = readAll(ctx, rec.ID, s.Reader.Ledger)
	return f, err
}

// postureRecord asks the session's actor. A session that cannot be loaded still has what its record holds.
func (s *Server) postureRecord(ctx context.Context, rec session.Record) (compaction.PostureRecord, error) {
	status, err := s.Sessions.Status(ctx, rec.ID)
	if err == nil {
		return status.Posture, nil
	}
	if ctx.Err() != nil {
		return compaction.PostureRecord{}, ctx.Err()
	}
	s.Log.Warn("posture from the stored record", keySessionID, rec.ID, "error", err)
	return compaction.PostureRecord{
		SessionID: rec.ID, State: rec.Posture.State, Reason: rec.Posture.Reason, Version: rec.Version,
		Watermark: rec.Watermark, Messages: rec.NextSeq, UsedTokens: rec.ContextTokens, WindowTokens: rec.WindowTokens,
		ThresholdTokens: rec.Compaction.ThresholdTokens, HardCapTokens: rec.Compaction.HardCapTokens,
		CompactionCostUSD: rec.CompactionCostUSD, CompactionBudget: rec.Compaction.MaxCostPerSessionUSD,
	}, nil
}

// readAll reads a list page by page, at most readPages of them; more tells that the list goes on.
func readAll[T any](
	ctx context.Context, id session.ID, read func(context.Context, session.ID, string, int) (session.Page[T], error),
) (out []T, more bool, err error) {
	cursor := ""
	for range readPages {
		page, err := read(ctx, id, cursor, readPage)
		if err != nil {
			return nil, false, err
		}
		out = append(out, page.Items...)
		if cursor = page.Next; cursor == "" {
			return out, false, nil
		}
	}
	return out, true, nil
}

// getPassRecord draws the whole record of a pass; its texts only for who may read them.
func (s *Server) getPassRecord(c echo.Context) error {
	ctx, r := c.Request().Context(), s.reader(c)
	rec, err := s.record(ctx, r.who, c.Param("id"), maySee)
	if err != nil {
		return err
	}
	pass, err := s.Reader.Pass(ctx, rec.ID, c.Param("pass"))
	if err != nil {
		return err
	}
	f := passFacts{pass: pass, read: r.reads(rec.Owner)}
	if f.read {
		// A failed pass has no summary row; that is no error of the page.
		if sum, err := s.Reader.Summary(ctx, rec.ID, pass.ID); err == nil {
			f.summary = sum.Text
		}
		if f.covered, err = s.spanMessages(ctx, rec.ID, pass.Span()); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, views.PassRecordView(newPassRecord(f)))
}

// spanMessages reads the first messages of a span.
func (s *Server) spanMessages(ctx context.Context, id session.ID, span message.Span) ([]message.Message, error) {
	n := min(span.Len(), coveredShown)
	if n <= 0 {
		return nil, nil
	}
	return s.Reader.Messages(ctx, id, span.Start-1, n)
}
