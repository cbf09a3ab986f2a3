package store

import (
	"encoding/base64"
	"strconv"
	"strings"

	"tidemark/internal/session"
)

// maxLimit bounds every list (protocol section 5).
const maxLimit = 5000

// clamp bounds a limit; none means the bound.
func clamp(limit int) int {
	if limit <= 0 || limit > maxLimit {
		return maxLimit
	}
	return limit
}

// cursor hides a place in a list: clients pass it back and read nothing into it. The kind keeps a cursor of one list
// from being used on another.
func cursor(kind, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + place))
}

// place reads a cursor; "" is the beginning.
func place(kind, c string) (string, error) {
	if c == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(c)
	rest, ok := strings.CutPrefix(string(raw), kind+":")
	if err != nil || !ok || rest == "" {
		return "", badCursor()
	}
	return rest, nil
}

// placeNumber reads a cursor of a list in the order of a number; before is what stands in front of the first row.
func placeNumber(kind, c string, before int64) (int64, error) {
	p, err := place(kind, c)
	if err != nil || p == "" {
		return before, err
	}
	n, err := strconv.ParseInt(p, 10, 64)
	if err != nil {
		return 0, badCursor()
	}
	return n, nil
}

func badCursor() error {
	return &session.ParamError{Param: "cursor", Reason: "not a cursor of this list; leave it out to start again"}
}

// page cuts the row that was read beyond the limit and makes the cursor of the next page from the last one kept.
func page[R any](rows []R, limit int, last func(R) string) ([]R, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	rows = rows[:limit]
	return rows, last(rows[limit-1])
}
