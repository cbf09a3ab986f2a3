package static_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/static"
)

// Raising a pin in package.json without running "make assets" would ship the
// old library under the new number; the banners inside the files tell.
func TestVendoredFilesMatchTheirPins(t *testing.T) {
	raw, err := os.ReadFile("package.json")
	require.NoError(t, err)
	var manifest struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	require.NoError(t, json.Unmarshal(raw, &manifest))

	for _, lib := range []struct {
		npm, file, before, after string
	}{
		{"htmx.org", "vendor/htmx/htmx.min.js", `this.version="`, `"`},
		{"uplot", "vendor/uplot/uPlot.iife.min.js", "uPlot (v", ")"},
		{"@picocss/pico", "vendor/pico/pico.min.css", "Pico CSS ✨ v", " "},
	} {
		body, err := fs.ReadFile(static.FS, lib.file)
		require.NoError(t, err)
		pin := manifest.DevDependencies[lib.npm]
		require.NotEmpty(t, pin, "%s has no pin", lib.npm)
		require.Contains(t, string(body), lib.before+pin+lib.after, "%s: run make assets", lib.file)
	}
}

func TestEmbeddedFiles(t *testing.T) {
	for _, name := range []string{
		"app/favicon.svg",
		"vendor/htmx/LICENSE",
		"vendor/htmx/ext/hx-sse.min.js",
		"vendor/pico/LICENSE.md",
		"vendor/uplot/LICENSE",
		"vendor/uplot/uPlot.min.css",
	} {
		info, err := fs.Stat(static.FS, name)
		require.NoError(t, err)
		require.NotZero(t, info.Size(), name)
	}
}

func TestVersion(t *testing.T) {
	require.Len(t, static.Version(), 24)
}
