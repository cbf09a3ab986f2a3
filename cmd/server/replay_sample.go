package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"tidemark/internal/app"
)

// sample puts the sample session into a file like any other; clean removes it.
func (c *replayCmd) sample() (clean func(), err error) {
	clean = func() {}
	switch {
	case c.Sample && len(c.Files) > 0:
		return clean, usageError{errors.New("replay: give --sample or files, not both")}
	case !c.Sample && len(c.Files) == 0:
		return clean, usageError{errors.New("replay: give transcript files, or --sample for the built-in session")}
	case !c.Sample:
		return clean, nil
	}
	dir, err := os.MkdirTemp("", "tidemark-sample-")
	if err != nil {
		return clean, err
	}
	c.Files, c.Model = []string{filepath.Join(dir, "sample.jsonl")}, firstOf(c.Model, sampleModel)
	return func() { _ = os.RemoveAll(dir) }, writeSample(c.Files[0])
}

// sampleModel answers the sample: its prompts have no recorded answers.
const sampleModel = "sim:assistant"

func writeSample(path string) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	lines := []map[string]any{{"type": "session", "id": "sample", "source": "tidemark"}}
	for _, prompt := range app.SamplePrompts() {
		lines = append(lines,
			map[string]any{"role": "user", "content": prompt},
			// Without an answer in between, a repair would make one message of all prompts. The model's own is played.
			map[string]any{"role": "assistant", "content": "(not recorded)"})
	}
	for _, line := range lines {
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return os.WriteFile(path, buf.Bytes(), 0o600)
}
