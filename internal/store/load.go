package store

import (
	"context"
	"slices"

	"gorm.io/gorm"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// recentPasses is how many records a snapshot and a posture bring along (spec 6.6).
const recentPasses = 5

// Load implements session.Store. All of it comes from one snapshot, and nothing before the watermark is read: the cost
// does not grow with the history.
func (s *Sessions) Load(ctx context.Context, id session.ID) (session.Snapshot, error) {
	var snap session.Snapshot
	err := s.db.read(ctx, "load session "+id, func(tx *gorm.DB) (err error) {
		if snap.Record, err = s.db.record(tx, id); err != nil {
			return err
		}
		from := snap.Record.Watermark
		span := message.Span{Start: from, End: snap.Record.NextSeq}
		if snap.Rows, snap.Digests, err = rowsAndDigests(tx, id, span); err != nil {
			return err
		}
		if snap.Summaries, err = viewSummaries(tx, id); err != nil {
			return err
		}
		if snap.Elided, err = elided(tx, id, from); err != nil {
			return err
		}
		return loadOpen(tx, id, &snap)
	})
	return snap, err
}

// loadOpen reads the newest attempts and turn, and what a crash left open.
func loadOpen(tx *gorm.DB, id session.ID, snap *session.Snapshot) (err error) {
	newest := tx.Where("session_id = ?", id).Order("n DESC").Limit(recentPasses)
	if snap.Passes, err = passes(newest); err != nil {
		return err
	}
	if err = loadWaiting(tx, id, snap); err != nil {
		return err
	}
	if snap.OpenTurn, err = oneTurn(tx.Where("session_id = ? AND state = 'running'", id)); err != nil {
		return err
	}
	snap.LastTurn, err = oneTurn(tx.Where("session_id = ?", id).Order("open_seq DESC"))
	return err
}

// waiting selects attempts that something is still to happen to, in the words of the partial index that finds them.
const waiting = "(outcome = '' OR candidate = 'running' OR candidate = 'ready')"

func loadWaiting(tx *gorm.DB, id session.ID, snap *session.Snapshot) error {
	ps, err := passes(tx.Where("session_id = ? AND "+waiting, id).Order("n"))
	for i, p := range ps {
		switch {
		case p.Outcome == compaction.OutcomeOpen:
			snap.OpenPass = append(snap.OpenPass, p)
		case p.Candidate.State == compaction.CandidateRunning:
			snap.Running = append(snap.Running, p)
		case p.Applied():
			snap.Ready = &ps[i]
		}
	}
	return err
}

func (db *DB) record(tx *gorm.DB, id session.ID) (session.Record, error) {
	var row sessionRow
	if err := first(tx, &row, "id = ?", id); err != nil {
		return session.Record{}, err
	}
	return row.toRecord(db.epoch)
}

// oneTurn reads one turn or none.
func oneTurn(q *gorm.DB) (*session.Turn, error) {
	var rows []turnRow
	if err := q.Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	t := rows[0].toTurn()
	return &t, nil
}

func passes(q *gorm.DB) ([]compaction.Pass, error) {
	var rows []passRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, err
	}
	return mapRows(rows, passRow.toPass)
}

func mapRows[R, T any](rows []R, to func(R) (T, error)) ([]T, error) {
	out := make([]T, 0, len(rows))
	for _, r := range rows {
		v, err := to(r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func viewSummaries(tx *gorm.DB, id session.ID) ([]compaction.Summary, error) {
	var rows []summaryRow
	err := tx.Where("session_id = ? AND in_view = 1", id).Order("span_start, span_end").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return mapRows(rows, summaryRow.toSummary)
}

// elided lists the rows from a seq on that applied elisions replaced by a note.
func elided(tx *gorm.DB, id session.ID, from message.Seq) ([]message.Seq, error) {
	ps, err := passes(tx.Where("session_id = ? AND version > 0 AND kind = ? AND outcome <> ? AND span_end > ?",
		id, compaction.KindElision, compaction.OutcomeUndone, from))
	if err != nil {
		return nil, err
	}
	var out []message.Seq
	for _, p := range ps {
		for _, q := range p.ElidedSeqs {
			if q >= from {
				out = append(out, q)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// lastApplied is the applied pass with the highest version that was not undone, repairs left out.
func lastApplied(tx *gorm.DB, id session.ID) (compaction.Pass, bool, error) {
	ps, err := passes(tx.Where("session_id = ? AND version > 0 AND outcome <> ? AND `trigger` <> ?",
		id, compaction.OutcomeUndone, compaction.TriggerRepair).Order("version DESC").Limit(1))
	if err != nil || len(ps) == 0 {
		return compaction.Pass{}, false, err
	}
	return ps[0], true, nil
}

// LastApplied implements session.Store.
func (s *Sessions) LastApplied(ctx context.Context, id session.ID) (compaction.Pass, bool, error) {
	p, ok, err := lastApplied(s.db.reader.WithContext(ctx), id)
	return p, ok, s.db.fail("newest compaction of session "+id, err)
}

// ViewSummaries implements session.Store.
func (s *Sessions) ViewSummaries(ctx context.Context, id session.ID) ([]compaction.Summary, error) {
	out, err := viewSummaries(s.db.reader.WithContext(ctx), id)
	return out, s.db.fail("summaries of session "+id, err)
}

// Unfinished implements session.Store.
func (s *Sessions) Unfinished(ctx context.Context) ([]session.ID, error) {
	var ids []session.ID
	err := s.db.reader.WithContext(ctx).Raw(`SELECT session_id FROM turns WHERE state = 'running'
		UNION SELECT session_id FROM compactions WHERE ` + waiting + ` AND (outcome = '' OR candidate = 'running')
		ORDER BY 1`).Scan(&ids).Error
	return ids, s.db.fail("unfinished sessions", err)
}
