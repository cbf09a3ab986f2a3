package compaction

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"

	"tidemark/internal/message"
)

// TextHash is the hash that is stored beside a summary's text.
func TextHash(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// Break is a part of the covered history that no sound summary represents.
type Break struct {
	Span   message.Span
	Reason Reason // summary_link_missing or summary_link_corrupt
	ID     string // the corrupt summary; "" when it is missing
}

// LinkCheck holds the summaries of a view against the watermark (spec 6.8): their ranges meet without a hole from the
// first row to the watermark, and each text has the hash that was stored with it. It returns the breaks in order.
func LinkCheck(summaries []Summary, watermark message.Seq) []Break {
	var out []Break
	at := message.Seq(0)
	for _, s := range sorted(summaries) {
		if s.Span.Start > at {
			out = append(out, Break{Span: message.Span{Start: at, End: s.Span.Start}, Reason: ReasonSummaryLinkMissing})
		}
		if TextHash(s.Text) != s.Hash {
			out = append(out, Break{Span: s.Span, Reason: ReasonSummaryLinkCorrupt, ID: s.ID})
		}
		at = max(at, s.Span.End)
	}
	if at < watermark {
		out = append(out, Break{Span: message.Span{Start: at, End: watermark}, Reason: ReasonSummaryLinkMissing})
	}
	return out
}

func sorted(in []Summary) []Summary {
	out := append([]Summary(nil), in...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	return out
}

// PlaceSummary puts a new summary into the list of a view in span order, in the place of those it replaces.
func PlaceSummary(in []Summary, s Summary, replaces []string) []Summary {
	gone := make(map[string]bool, len(replaces))
	for _, id := range replaces {
		gone[id] = true
	}
	var out []Summary
	for _, x := range in {
		if !gone[x.ID] {
			out = append(out, x)
		}
	}
	return sorted(append(out, s))
}
