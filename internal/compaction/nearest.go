package compaction

import "slices"

// Nearest returns the name that differs from what was typed by at most three edits, or "" when none does; of two
// equally near the first in the alphabet.
func Nearest(typed string, names []string) string {
	const most = 3
	best, found := most+1, ""
	slices.Sort(names)
	for _, name := range names {
		if len(typed) > 200 || abs(len(typed)-len(name)) >= best {
			continue
		}
		if d := distance(typed, name); d < best {
			best, found = d, name
		}
	}
	return found
}

// distance is the edit distance of two strings, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

func abs(n int) int { return max(n, -n) }
