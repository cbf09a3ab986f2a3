package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteJSON writes the report as indented JSON.
func (rep Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(rep)
}

// WriteTable writes the report for people.
func (rep Report) WriteTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d transcripts, %d compactions, %d with something needed later\n\n", rep.Files, rep.Compactions, rep.Scored); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := func(format string, args ...any) { fmt.Fprintf(tw, format, args...) } //nolint:errcheck // Flush reports it
	p("method\trecall, mean\trecall, pooled\tneeded kept\tinstructions kept\ttokens, mean\ttokens, most\n")
	for _, m := range rep.Methods {
		p("%s\t%.3f\t%.3f\t%d of %d\t%d of %d (%.1f %%)\t%.0f\t%d\n", m.Name, m.MeanRecall, m.PooledRecall, m.Kept, m.Needed,
			m.InstructionsKept, m.Instructions, 100*m.InstructionShare, m.MeanTokens, m.MaxTokens)
	}
	p("\n%s, by transcript\tcompactions\trecall, mean\n", MechanicalName)
	for _, f := range rep.PerFile {
		p("%s\t%d\t%.3f\n", f.Name, f.Compactions, f.MeanRecall)
	}
	return tw.Flush()
}
