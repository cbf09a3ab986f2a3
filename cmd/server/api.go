package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"tidemark/internal/app"
)

// api calls the HTTP interface of a server that runs somewhere, or of a data folder opened for this one command: one way
// for both.
type api struct {
	client *http.Client
	url    string
	key    string
	close  func() error
}

// newHTTPClient waits long: a manual compaction is one request.
func newHTTPClient() *http.Client { return &http.Client{Timeout: 10 * time.Minute} }

// closeLimit is how long a stop may take.
const closeLimit = 30 * time.Second

// closeApp stops an App when its own context may have ended already.
func closeApp(ctx context.Context, a *app.App) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	return a.Close(ctx)
}

// problem is how the server says no.
type problem struct {
	Detail string `json:"detail"`
	Title  string `json:"title"`
	Code   string `json:"code"`
}

// call makes one request; in and out may be nil.
func (a *api) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return fmt.Errorf("no answer from %s: %w", a.url, errors.Unwrap(err))
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("the answer of %s broke off: %w", a.url, err)
	}
	if resp.StatusCode >= 300 {
		return a.refused(resp.StatusCode, raw)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%s does not answer like a Tidemark server: %w", a.url, err)
	}
	return nil
}

func (a *api) refused(status int, raw []byte) error {
	var p problem
	if json.Unmarshal(raw, &p) != nil || p.Code == "" {
		return fmt.Errorf("%s answered with HTTP status %d", a.url, status)
	}
	if status == http.StatusUnauthorized {
		return fmt.Errorf("%s does not accept this key: give another with --key", a.url)
	}
	return &refusal{code: p.Code, detail: firstOf(p.Detail, p.Title, p.Code)}
}

// list reads all pages of a list.
func list[T any](ctx context.Context, a *api, path string) ([]T, error) {
	out := []T{}
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
		if err := a.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if page.NextCursor == nil || *page.NextCursor == "" || *page.NextCursor == cursor {
			return out, nil
		}
		cursor = *page.NextCursor
	}
}
