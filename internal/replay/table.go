package replay

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"tidemark/internal/pricing"
)

// WriteTable writes the summary for people: a row a file, the sum, then what went wrong.
func (r Report) WriteTable(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "file\tturns\tsteps\tpasses\tsem\tmech\ttrunc\telide\tfold\tfailed\thits\tlargest\tmean\tprefix\tsummary\tcache\tcost\tcompaction\tviolations\t")
	for _, f := range r.Files {
		p := f.Passes
		row := []any{
			f.File, f.Turns, f.Steps, p.applied(), p.Semantic, p.Mechanical, p.Truncation, p.Elision, p.Folds, p.Failed,
			f.CacheHits, f.LargestRequest, f.MeanRequest, f.PrefixTokens, f.MeanSummaryTokens, percent(f.CacheReadShare),
			money(f.CostUSD), f.CompactionCostUSD.Format(), len(f.Violations),
		}
		writeRow(tw, row)
	}
	t := r.Total
	writeRow(tw, []any{
		"total", t.Turns, t.Steps, t.Passes, "", "", "", "", "", "", "", t.LargestRequest, "", "", "", "",
		t.CostUSD.Format(), t.CompactionCostUSD.Format(), t.Violations,
	})
	if err := tw.Flush(); err != nil {
		return err
	}
	return r.writeProblems(w)
}

func writeRow(w io.Writer, cells []any) {
	for _, c := range cells {
		fmt.Fprintf(w, "%v\t", c)
	}
	fmt.Fprintln(w)
}

// writeProblems shows at most ten violations a file: one cause often breaks many rows.
func (r Report) writeProblems(w io.Writer) error {
	const most = 10
	var err error
	say := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	for _, f := range r.Files {
		if f.Error != "" {
			say("%s: %s\n", f.File, f.Error)
		}
		for _, v := range slices.Clip(f.Violations)[:min(most, len(f.Violations))] {
			say("%s: %s\n", f.File, v)
		}
		if n := len(f.Violations) - most; n > 0 {
			say("%s: and %d more\n", f.File, n)
		}
	}
	return err
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return strconv.FormatFloat(*share*100, 'f', 1, 64) + "%"
}

func money(u *pricing.USD) string {
	if u == nil {
		return "unpriced"
	}
	return u.Format()
}
