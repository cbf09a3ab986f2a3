package web

import (
	"context"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
	"tidemark/internal/compaction"
	"tidemark/internal/event"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// messageJSON is a transcript row.
type messageJSON struct {
	Seq       message.Seq    `json:"seq"`
	Role      message.Role   `json:"role"`
	Blocks    message.Blocks `json:"blocks"`
	Tokens    int            `json:"tokens"`
	TurnID    string         `json:"turn_id"`
	Synthetic bool           `json:"synthetic"`
	CreatedAt time.Time      `json:"created_at"`
}

func (s *Server) apiMessages(c echo.Context) error {
	rec, err := s.target(c, mayRead)
	if err != nil {
		return err
	}
	return serveList(s, c, func(ctx context.Context, cursor string, limit int) (page session.Page[messageJSON], err error) {
		after, err := numberCursor(cursor, -1)
		if err != nil {
			return page, err
		}
		rows, err := s.Reader.Messages(ctx, rec.ID, message.Seq(after), limit)
		for _, m := range rows {
			page.Items = append(page.Items, messageJSON{m.Seq, m.Role, m.Blocks, m.Tokens, m.TurnID, m.Synthetic, m.CreatedAt})
		}
		if len(rows) == limit {
			page.Next = strconv.FormatInt(int64(rows[limit-1].Seq), 10)
		}
		return page, err
	})
}

func (s *Server) apiTurns(c echo.Context) error {
	rec, err := s.target(c, maySee)
	if err != nil {
		return err
	}
	return serveList(s, c, func(ctx context.Context, cursor string, limit int) (session.Page[session.Turn], error) {
		return s.Reader.Turns(ctx, rec.ID, cursor, limit)
	})
}

func (s *Server) apiLedger(c echo.Context) error {
	rec, err := s.target(c, maySee)
	if err != nil {
		return err
	}
	return serveList(s, c, func(ctx context.Context, cursor string, limit int) (session.Page[session.LedgerRow], error) {
		return s.Reader.Ledger(ctx, rec.ID, cursor, limit)
	})
}

func (s *Server) apiCompactions(c echo.Context) error {
	rec, err := s.target(c, maySee)
	if err != nil {
		return err
	}
	who, _ := principal(c)
	return serveList(s, c, func(ctx context.Context, cursor string, limit int) (session.Page[compaction.Pass], error) {
		page, err := s.Reader.Passes(ctx, rec.ID, cursor, limit)
		page.Items = withoutText(who, rec, page.Items)
		return page, err
	})
}

// withoutText takes the facts that a gate missed out of records for who may see figures alone: they quote the
// transcript.
func withoutText(who auth.Principal, rec session.Record, passes []compaction.Pass) []compaction.Pass {
	if who.MayRead(rec.Owner) {
		return passes
	}
	out := append([]compaction.Pass(nil), passes...)
	for i := range out {
		out[i].Gate = gateFigures(out[i].Gate)
		if cand := out[i].Candidate; cand != nil {
			figures := *cand
			figures.Gate = gateFigures(cand.Gate)
			out[i].Candidate = &figures
		}
	}
	return out
}

func gateFigures(g *compaction.GateVerdict) *compaction.GateVerdict {
	if g == nil {
		return nil
	}
	figures := *g
	figures.Missing = []string{}
	return &figures
}

func (s *Server) apiEvents(c echo.Context) error {
	rec, err := s.target(c, maySee)
	if err != nil {
		return err
	}
	return serveList(s, c, func(ctx context.Context, cursor string, limit int) (page session.Page[event.Event], err error) {
		after, err := numberCursor(cursor, 0)
		if err != nil {
			return page, err
		}
		page.Items, err = s.Reader.Events(ctx, session.EventFilter{SessionID: rec.ID, After: event.ID(after), Limit: limit})
		if len(page.Items) == limit {
			page.Next = strconv.FormatInt(int64(page.Items[limit-1].ID), 10)
		}
		return page, err
	})
}

// numberCursor reads a cursor that is the number of the last item.
func numberCursor(cursor string, before int64) (int64, error) {
	if cursor == "" {
		return before, nil
	}
	n, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil {
		return 0, badParam("cursor", "not a cursor of this list; leave it out to start again")
	}
	return n, nil
}
