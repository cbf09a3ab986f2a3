package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// SampleTurn is one prompt of the sample session.
type SampleTurn struct {
	Prompt string
}

// SampleTurns is the length of the whole sample session.
const SampleTurns = 40

// artifactBytes is how much a prompt of the sample session has pasted in; with the answer a turn comes to about 1.8k
// tokens, so that the default threshold is passed in the early twenties and once more before the end.
const artifactBytes = 3600

// SampleSession is a long developer conversation for a demonstration through sim:assistant: a service that loses
// parcels, found, mended and rolled out over many turns, with rules the user sets, logs, diffs and test runs. The same
// number gives the same prompts; beyond SampleTurns the story goes round with other figures. Zero means all of it.
func SampleSession(turns int) []SampleTurn {
	if turns <= 0 {
		turns = SampleTurns
	}
	out := make([]SampleTurn, turns)
	for i := range out {
		line := sampleStory[i%len(sampleStory)]
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		out[i].Prompt = fmt.Sprintf("%s\n\n%s\n\n[[say %d]]", line.text, line.paste(rng), 480+rng.IntN(160))
	}
	return out
}

// storyLine is a prompt and what is pasted below it.
type storyLine struct {
	text  string
	paste func(*rand.Rand) string
}

// fill adds lines until the artifact is long enough, inside a code fence.
func fill(lang string, line func(n int) string) string {
	var sb strings.Builder
	sb.WriteString("```" + lang + "\n")
	for n := 0; sb.Len() < artifactBytes; n++ {
		sb.WriteString(line(n))
		sb.WriteByte('\n')
	}
	sb.WriteString("```")
	return sb.String()
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

func parcel(rng *rand.Rand) string { return fmt.Sprintf("PX-%06d", rng.IntN(1_000_000)) }

func pasteLog(rng *rand.Rand) string {
	at := time.Date(2026, 3, 3+rng.IntN(25), 6+rng.IntN(12), rng.IntN(60), 0, 0, time.UTC)
	return fill("", func(int) string {
		level, msg := "INFO", pick(rng, "scan accepted", "label printed", "route computed", "handover confirmed", "webhook delivered")
		if rng.IntN(9) == 0 {
			level, msg = "ERROR", pick(rng, "scan dropped: sequence went back", "dial tcp 10.4.0.7:5432: i/o timeout", "duplicate key value violates unique constraint \"scans_pkey\"")
		}
		at = at.Add(time.Duration(rng.IntN(9000)) * time.Millisecond)
		return fmt.Sprintf("%s %-5s depot=%s parcel=%s %s duration_ms=%d", at.Format("2006-01-02T15:04:05.000Z"), level,
			pick(rng, "north", "harbor", "airport", "east"), parcel(rng), msg, 2+rng.IntN(480))
	})
}

func pasteTests(rng *rand.Rand) string {
	return fill("", func(int) string {
		name := pick(rng, "TestScan_OutOfOrder", "TestRoute_Shortest", "TestLabel_Reprint", "TestStore_Conflict", "TestWebhook_Retry", "TestDepot_Close")
		sub := pick(rng, "empty", "two_depots", "clock_skew", "late_scan", "unicode_address", "retry_after")
		if rng.IntN(8) == 0 {
			return fmt.Sprintf("    --- FAIL: %s/%s (%d.%02ds)\n        scan_test.go:%d: got %d scans, want %d", name, sub, rng.IntN(2), rng.IntN(100), 40+rng.IntN(200), rng.IntN(9), 9)
		}
		return fmt.Sprintf("    --- PASS: %s/%s (%d.%02ds)", name, sub, rng.IntN(2), rng.IntN(100))
	})
}

func pasteDiff(rng *rand.Rand) string {
	return fill("diff", func(n int) string {
		if n%9 == 0 {
			file := pick(rng, "internal/scan/store.go", "internal/scan/order.go", "internal/route/plan.go", "cmd/depotd/main.go")
			return fmt.Sprintf("--- a/%[1]s\n+++ b/%[1]s\n@@ -%[2]d,7 +%[2]d,9 @@ func (s *Store) Append(ctx context.Context, scan Scan) error {", file, 20+rng.IntN(300))
		}
		return pick(rng,
			" \trow := s.db.QueryRowContext(ctx, lastScan, scan.ParcelID)",
			"-\tif scan.At.Before(last.At) {", "+\tif scan.Seq <= last.Seq {",
			"-\t\treturn nil // late scans do not matter", "+\t\treturn fmt.Errorf(\"scan %d of %s: %w\", scan.Seq, scan.ParcelID, ErrOutOfOrder)",
			" \t}", "+\tmetrics.ScansAccepted.WithLabelValues(scan.Depot).Inc()", " \treturn tx.Commit()")
	})
}

func pasteCode(rng *rand.Rand) string {
	return fill("go", func(n int) string {
		entity := pick(rng, "Scan", "Route", "Label", "Depot", "Handover")
		return fmt.Sprintf("// %[1]s%[2]d returns the newest %[3]s of a parcel, or ErrNotFound.\nfunc (s *Store) %[1]s%[2]d(ctx context.Context, parcel string) (*%[1]s, error) {\n\tvar out %[1]s\n\terr := s.db.QueryRowContext(ctx, %[3]sByParcel, parcel).Scan(&out.ID, &out.Seq, &out.At)\n\treturn &out, translate(err)\n}\n",
			entity, n, strings.ToLower(entity))
	})
}

func pasteConfig(rng *rand.Rand) string {
	return fill("yaml", func(n int) string {
		return fmt.Sprintf("- depot: %s-%02d\n  queue: scans.%02d\n  max_in_flight: %d\n  retry: {attempts: %d, backoff: %dms}\n  window: \"%02d:00-%02d:30\"",
			pick(rng, "north", "harbor", "airport", "east"), n, n%7, 16<<rng.IntN(4), 2+rng.IntN(4), 50*(1+rng.IntN(20)), 5+rng.IntN(3), 19+rng.IntN(4))
	})
}

func pasteTable(rng *rand.Rand) string {
	return fill("", func(n int) string {
		if n == 0 {
			return "depot    | day        | parcels | lost | late | p99_ms\n---------+------------+---------+------+------+-------"
		}
		return fmt.Sprintf("%-8s | 2026-03-%02d | %7d | %4d | %4d | %6d", pick(rng, "north", "harbor", "airport", "east"), 1+n%28, 900+rng.IntN(4000), rng.IntN(14), rng.IntN(90), 40+rng.IntN(900))
	})
}
