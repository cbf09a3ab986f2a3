package store

import (
	"fmt"

	"tidemark/internal/compaction"
	"tidemark/internal/message"
)

// messageRow is a transcript row with the digest that was made of it when it was stored.
type messageRow struct {
	SessionID string   `gorm:"column:session_id;primaryKey"`
	Seq       int64    `gorm:"column:seq;primaryKey;autoIncrement:false"`
	Role      string   `gorm:"column:role"`
	Blocks    jsonText `gorm:"column:blocks"`
	Units     int      `gorm:"column:units"`
	Tokens    int      `gorm:"column:tokens"`
	Facts     jsonText `gorm:"column:facts"`
	Synthetic bool     `gorm:"column:synthetic"`
	TurnID    string   `gorm:"column:turn_id"`
	Created   stamp    `gorm:"column:created_at"`
}

func (messageRow) TableName() string { return "messages" }

// messageCols are the columns of a row without its digest, which can be as large as the row.
const messageCols = "session_id, seq, role, blocks, units, tokens, synthetic, turn_id, created_at"

func fromMessage(sessionID string, m message.Message, d compaction.Digest) (row messageRow, err error) {
	row = messageRow{
		SessionID: sessionID, Seq: int64(m.Seq), Role: string(m.Role), Units: m.Units, Tokens: m.Tokens,
		Synthetic: m.Synthetic, TurnID: m.TurnID, Created: toStamp(m.CreatedAt),
	}
	if row.Blocks, err = toJSON(m.Blocks); err != nil {
		return row, err
	}
	row.Facts, err = toJSON(d)
	return row, err
}

func (r messageRow) toMessage() (message.Message, error) {
	m := message.Message{
		Seq: message.Seq(r.Seq), Role: message.Role(r.Role), TurnID: r.TurnID, Synthetic: r.Synthetic,
		CreatedAt: r.Created.time(), Units: r.Units, Tokens: r.Tokens,
	}
	if err := fromJSON(r.Blocks, &m.Blocks); err != nil {
		return m, fmt.Errorf("row %d: %w", r.Seq, err)
	}
	return m, nil
}
