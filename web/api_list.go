package web

import (
	"context"
	"encoding/csv"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tidemark/internal/acp"
	"tidemark/internal/session"
)

// listJSON is the shape of every list.
type listJSON[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next_cursor"`
}

// pageReader reads one page.
type pageReader[T any] func(ctx context.Context, cursor string, limit int) (session.Page[T], error)

// serveList answers with a page as JSON. As CSV or JSON Lines it answers with everything, or with one page when a limit
// is given.
func serveList[T any](s *Server, c echo.Context, read pageReader[T]) error {
	format, err := formatOf(c)
	if err != nil {
		return err
	}
	limit, err := limitParam(c)
	if err != nil {
		return err
	}
	if format != formatJSON {
		return export(s, c, format, limit, read)
	}
	page, err := read(c.Request().Context(), c.QueryParam("cursor"), limit)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, listJSON[T]{notNil(page.Items), optionalString(page.Next)})
}

func optionalString(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type format string

const (
	formatJSON  format = "application/json"
	formatCSV   format = "text/csv"
	formatLines format = "application/jsonl"
)

// formatOf decides by the suffix of the route, then by Accept.
func formatOf(c echo.Context) (format, error) {
	switch path := c.Path(); {
	case strings.HasSuffix(path, ".csv"):
		return formatCSV, nil
	case strings.HasSuffix(path, ".jsonl"):
		return formatLines, nil
	}
	accept := c.Request().Header.Get("Accept")
	if accept == "" {
		return formatJSON, nil
	}
	for _, part := range strings.Split(accept, ",") {
		media, _, _ := strings.Cut(part, ";")
		switch strings.TrimSpace(media) {
		case "application/json", "application/*", "*/*", "text/html":
			return formatJSON, nil
		case "text/csv":
			return formatCSV, nil
		case "application/jsonl", "application/x-ndjson", "application/json-lines":
			return formatLines, nil
		}
	}
	return "", fail("not_acceptable", "offered are application/json, text/csv and application/jsonl")
}

// export writes pages as they are read. The next cursor of a single page stands in a header.
func export[T any](s *Server, c echo.Context, f format, limit int, read pageReader[T]) error {
	ctx, cursor := c.Request().Context(), c.QueryParam("cursor")
	single := c.QueryParam("limit") != ""
	if !single {
		limit = maxPage
	}
	page, err := read(ctx, cursor, limit)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", string(f)+"; charset=utf-8")
	if single && page.Next != "" {
		h.Set("Next-Cursor", page.Next)
	}
	c.Response().WriteHeader(http.StatusOK)
	w := newExporter[T](f, c.Response())
	for {
		if err := w.write(page.Items); err != nil {
			return nil //nolint:nilerr // the client went away
		}
		if single || page.Next == "" {
			return nil
		}
		if page, err = read(ctx, page.Next, limit); err != nil {
			s.Log.Error("export ended early", keyRequestID, requestID(c), "error", err)
			panic(http.ErrAbortHandler) // a cut transfer, or the reader would take a part for the whole
		}
	}
}

// exporter writes items in one format.
type exporter[T any] struct {
	format format
	out    http.ResponseWriter
	table  *table
	csv    *csv.Writer
}

func newExporter[T any](f format, out http.ResponseWriter) *exporter[T] {
	e := &exporter[T]{format: f, out: out}
	if f == formatCSV {
		e.table, e.csv = tableOf[T](), csv.NewWriter(out)
		_ = e.csv.Write(e.table.header()) // a failure shows at the next flush
	}
	return e
}

func (e *exporter[T]) write(items []T) error {
	for _, item := range items {
		if e.csv != nil {
			if err := e.csv.Write(e.table.row(item)); err != nil {
				return err
			}
			continue
		}
		line, err := acp.Marshal(item)
		if err != nil {
			return err
		}
		if _, err := e.out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if e.csv != nil {
		e.csv.Flush()
		return e.csv.Error()
	}
	return nil
}
