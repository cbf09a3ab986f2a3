package store

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"tidemark/internal/message"
	"tidemark/internal/pricing"
)

// stamp is a time as it is stored: nanoseconds since 1970 in UTC, 0 for the zero time. Full precision, because a client
// that resumes must see the bytes it would have seen live.
type stamp int64

func toStamp(t time.Time) stamp {
	if t.IsZero() {
		return 0
	}
	return stamp(t.UnixNano())
}

func (s stamp) time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(s)).UTC()
}

func toStampPtr(t *time.Time) *stamp {
	if t == nil {
		return nil
	}
	s := toStamp(*t)
	return &s
}

func (s *stamp) timePtr() *time.Time {
	if s == nil {
		return nil
	}
	t := s.time()
	return &t
}

// jsonText is JSON kept as the bytes that came, in a TEXT column.
type jsonText []byte

// Value implements driver.Valuer.
func (j jsonText) Value() (driver.Value, error) { return string(j), nil }

// Scan implements sql.Scanner. It copies: the driver reuses its buffer.
func (j *jsonText) Scan(v any) error {
	switch v := v.(type) {
	case string:
		*j = jsonText(v)
	case []byte:
		*j = append(jsonText(nil), v...)
	default:
		return fmt.Errorf("a JSON column holds %T", v)
	}
	return nil
}

// toJSON writes <, > and & as they are: the escapes of json.Marshal are for HTML pages, and would come back as other
// bytes in what is sent to a model.
func toJSON(v any) (jsonText, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// fromJSON decodes into v; no bytes leave v as it is.
func fromJSON(j jsonText, v any) error {
	if len(j) == 0 {
		return nil
	}
	return json.Unmarshal(j, v)
}

// usageCols are the disjoint buckets of spec 7.3 as columns.
type usageCols struct {
	Input        int  `gorm:"column:input"`
	CacheRead    int  `gorm:"column:cache_read"`
	CacheWrite5m int  `gorm:"column:cache_write_5m"`
	CacheWrite1h int  `gorm:"column:cache_write_1h"`
	Output       int  `gorm:"column:output"`
	Reasoning    int  `gorm:"column:reasoning"`
	Estimated    bool `gorm:"column:estimated"`
}

func fromUsage(u message.Usage) usageCols { return usageCols(u) }

func (c usageCols) usage() message.Usage { return message.Usage(c) }

// toPico is the database's form of an amount; nil is an unpriced call, which is neither free nor zero (spec 7.4).
func toPico(u *pricing.USD) (*int64, error) {
	if u == nil {
		return nil, nil
	}
	n, err := u.Pico()
	return &n, err
}

func fromPico(n *int64) *pricing.USD {
	if n == nil {
		return nil
	}
	u := pricing.FromPico(*n)
	return &u
}

// priced is the sum of some calls as the surfaces show it: null when one of them has no price.
func priced(pico int64, unpriced int) *pricing.USD {
	if unpriced > 0 {
		return nil
	}
	return fromPico(&pico)
}
