package web

import (
	"cmp"
	"slices"

	"tidemark/internal/compaction"
	"tidemark/internal/session"
	"tidemark/views"
)

// maxListedChats bounds the list beside the chat.
const maxListedChats = 100

func newSessionList(r reader, recs []session.Record, current string) views.SessionList {
	recs = slices.Clone(recs)
	slices.SortStableFunc(recs, func(a, b session.Record) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	})
	var l views.SessionList
	for _, rec := range recs[:min(len(recs), maxListedChats)] {
		l.Items = append(l.Items, views.SessionItem{
			ID: rec.ID, Href: "/s/" + rec.ID, Title: chatTitle(rec), State: stateChip(rec, false), Running: rec.State == session.StateRunning,
			Cost: money(session.NewInfo(rec).CostUSD), Last: shownAt(rec.UpdatedAt, formAge, r.now), Current: rec.ID == current,
		})
	}
	return l
}

func chatTitle(rec session.Record) string {
	if rec.Title == "" {
		return "New session"
	}
	return rec.Title
}

func newChatSession(r reader, rec session.Record) *views.ChatSession {
	return &views.ChatSession{
		ID: rec.ID, Title: chatTitle(rec), Model: rec.Model, Simulated: simulated(rec.Model), State: stateChip(rec, false),
		Cost: money(session.NewInfo(rec).CostUSD), Drive: r.who.MayDrive(rec.Owner), Owner: rec.Owner,
	}
}

// newContextPanel is the posture with the last passes, for the chat.
func newContextPanel(r reader, rec session.Record, p compaction.PostureRecord) views.ContextPanel {
	panel := views.ContextPanel{
		Posture: newPosturePanel(p), Operate: r.who.MayOperate(rec.Owner), Running: rec.State == session.StateRunning,
		Gauge: newGauge(p.UsedTokens, p.WindowTokens, compactsAt(p), p.Estimated),
	}
	for _, pass := range p.Recent {
		pass.SessionID = rec.ID
		panel.CanUndo = panel.CanUndo || pass.Applied() || pass.Outcome == compaction.OutcomeCompleted
		panel.Passes = append(panel.Passes, newPassRow(r, pass))
	}
	return panel
}
