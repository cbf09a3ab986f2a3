package store_test

import (
	"database/sql"

	"github.com/stretchr/testify/require"
)

// rawDB is another program's view of a file: one plain connection.
func rawDB(t tb, path string) *sql.DB {
	t.Helper()
	raw, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=5000")
	require.NoError(t, err)
	raw.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, raw.Close()) })
	return raw
}

func scalar[T any](t tb, raw *sql.DB, query string, args ...any) (v T) {
	t.Helper()
	require.NoError(t, raw.QueryRow(query, args...).Scan(&v), query)
	return v
}
