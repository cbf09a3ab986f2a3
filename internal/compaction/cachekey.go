package compaction

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/vmihailenco/msgpack/v5"

	"tidemark/internal/message"
)

// KeyInput is all that a summary depends on (spec 5.1). Rows are the span of a pass; Parents are the raw texts that a
// fold merges, and stand before the rows when there are both.
type KeyInput struct {
	Rows          []message.Message
	Parents       []string
	Model         string // provider:model
	PromptVersion string // effective, see [PromptVersionFor]
	MaxTokens     int    // the knob
}

// FoldVersion is the version of the way parents are put to the summarizer; part of the key of a fold.
const FoldVersion = 1

// PromptVersionFor is the effective prompt version of a job: the knob, plus the version of the fact extractor when the
// prompt lists facts to keep, plus that of the fold (spec 5.1).
func PromptVersionFor(knob string, two, fold bool) string {
	if two {
		knob += fmt.Sprintf("+two.%d", ExtractorVersion)
	}
	if fold {
		knob += fmt.Sprintf("+fold.%d", FoldVersion)
	}
	return knob
}

// promptKnob is the knob inside an effective version.
func promptKnob(effective string) string {
	knob, _, _ := strings.Cut(effective, "+")
	return knob
}

// Key is the name of a summary in the cache: the hex SHA-256 of a msgpack map of exactly four entries (spec 5.1). Equal
// spans give equal keys whatever their ids, times, costs, signatures and thinking. It fails only on a tool input that is
// not JSON.
func Key(k KeyInput) (string, error) {
	sum := sha256.New()
	buf := bufio.NewWriterSize(sum, 32<<10)
	if err := writeKey(buf, k); err != nil {
		return "", err
	}
	if err := buf.Flush(); err != nil {
		return "", fmt.Errorf("hash the cache key: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func writeKey(w io.Writer, k KeyInput) error {
	msgs, err := canonicalMessages(k)
	if err != nil {
		return err
	}
	enc := msgpack.NewEncoder(w)
	enc.SetSortMapKeys(true)
	enc.UseCompactInts(true)
	err = enc.Encode(map[string]any{
		"messages":                     msgs,
		"summarization_model":          k.Model,
		"summarization_prompt_version": k.PromptVersion,
		"summarization_max_tokens":     int64(k.MaxTokens),
	})
	if err != nil {
		return fmt.Errorf("encode the cache key: %w", err)
	}
	return nil
}
