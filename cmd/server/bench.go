package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tidemark/internal/bench"
)

// benchCmd measures offline.
type benchCmd struct {
	Fidelity fidelityCmd `cmd:"" help:"What a mechanical summary keeps of recorded sessions, beside simple baselines."`
}

type fidelityCmd struct {
	Folder string `arg:"" type:"existingdir" help:"Folder with transcripts (.jsonl, .json)."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *fidelityCmd) Run(e *env) error {
	files, err := transcripts(c.Folder)
	if err != nil {
		return err
	}
	report, err := bench.Fidelity(files)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(e.stdout, report)
	}
	return report.WriteTable(e.stdout)
}

// transcripts lists the files of a folder that may be recordings, by name.
func transcripts(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		if slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(entry.Name())) && !entry.IsDir() {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("folder %s holds no transcripts: they end in .jsonl or .json", folder)
	}
	return files, nil
}
