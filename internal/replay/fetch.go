package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// fetchTries is how often books are read again that changed while they were read: a candidate may still be running when
// the last turn has ended.
const fetchTries = 40

// fetch reads a session's books as of one moment.
func fetch(ctx context.Context, cfg Config, id string) (books, error) {
	for n := 0; ; n++ {
		b, err := fetchOnce(ctx, cfg, id)
		if err != nil {
			return b, err
		}
		var after sessionRow
		if err := get(ctx, cfg, "/api/v1/sessions/"+url.PathEscape(id), &after); err != nil {
			return b, err
		}
		settled := b.posture.State != "semantic_running" && after.sameSums(b.session)
		if settled || n == fetchTries {
			return b, nil
		}
		if err := sleep(ctx, backoff(n)); err != nil {
			return b, err
		}
	}
}

// sameSums reports whether nothing was booked in between.
func (s sessionRow) sameSums(o sessionRow) bool {
	if (s.CostUSD == nil) != (o.CostUSD == nil) || s.CostUSD != nil && !s.CostUSD.Equal(*o.CostUSD) {
		return false
	}
	return s.CompactionCostUSD.Equal(o.CompactionCostUSD) && s.Watermark == o.Watermark
}

func fetchOnce(ctx context.Context, cfg Config, id string) (b books, err error) {
	base := "/api/v1/sessions/" + url.PathEscape(id)
	if err = get(ctx, cfg, base, &b.session); err != nil {
		return b, err
	}
	if err = get(ctx, cfg, base+"/posture", &b.posture); err != nil {
		return b, err
	}
	if b.turns, err = all[turnRow](ctx, cfg, base+"/turns"); err != nil {
		return b, err
	}
	if b.ledger, err = all[ledgerRow](ctx, cfg, base+"/ledger"); err != nil {
		return b, err
	}
	if b.passes, err = all[passRow](ctx, cfg, base+"/compactions"); err != nil {
		return b, err
	}
	b.events, err = all[eventRow](ctx, cfg, base+"/events")
	return b, err
}

// all reads a list to its last page.
func all[T any](ctx context.Context, cfg Config, path string) ([]T, error) {
	var out []T
	cursor := ""
	for {
		var page struct {
			Items      []T     `json:"items"`
			NextCursor *string `json:"next_cursor"`
		}
		query := url.Values{"limit": {"1000"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := get(ctx, cfg, path+"?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if page.NextCursor == nil || *page.NextCursor == "" {
			return out, nil
		}
		if *page.NextCursor == cursor {
			return nil, fmt.Errorf("%s: the list does not move on from its cursor", path)
		}
		cursor = *page.NextCursor
	}
}

func get(ctx context.Context, cfg Config, path string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.URL+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+cfg.Key)
	}
	resp, err := cfg.client.Do(req)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFrame))
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("read %s: HTTP status %d", path, resp.StatusCode)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
