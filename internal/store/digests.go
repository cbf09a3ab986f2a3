package store

import (
	"gorm.io/gorm"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// digestCols are the columns of a row that its digest needs.
const digestCols = "session_id, seq, synthetic, facts"

// digestsOf are the stored digests of consecutive rows. The facts column is a cache of a pure function of the row: one
// of another extractor version, or one that cannot be read, is made again, so that an upgrade never mixes versions and
// never keeps a session from loading.
func digestsOf(tx *gorm.DB, rows []messageRow) ([]compaction.Digest, error) {
	out := make([]compaction.Digest, len(rows))
	for i, r := range rows {
		d, ok := r.toDigest()
		if !ok {
			var err error
			if d, err = extract(tx, r.SessionID, message.Seq(r.Seq)); err != nil {
				return nil, err
			}
		}
		out[i] = d
	}
	return out, nil
}

// toDigest is the stored digest; ok is false when it has to be made again. Fillers have none (spec 3.4).
func (r messageRow) toDigest() (d compaction.Digest, ok bool) {
	err := fromJSON(r.Facts, &d)
	return d, err == nil && (r.Synthetic || d.Version == compaction.ExtractorVersion)
}

// extract makes the digest of a row from the row and the calls of the one before it.
func extract(tx *gorm.DB, id session.ID, seq message.Seq) (compaction.Digest, error) {
	rows, err := rowsIn(tx, id, message.Span{Start: seq - 1, End: seq + 1})
	if err != nil || len(rows) == 0 {
		return compaction.Digest{}, err
	}
	var uses []message.ToolUse
	if len(rows) == 2 {
		uses = rows[0].ToolUses()
	}
	return compaction.ExtractRow(rows[len(rows)-1], uses), nil
}

func rowsIn(tx *gorm.DB, id session.ID, span message.Span) ([]message.Message, error) {
	rows, err := spanRows(tx.Select(messageCols), id, span)
	if err != nil {
		return nil, err
	}
	return mapRows(rows, messageRow.toMessage)
}
