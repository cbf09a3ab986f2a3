package compaction

import "slices"

// Shares of a bounded digest, in hundredths of its size. What a list does not use goes to the specifics.
const (
	shareAsks     = 45
	shareLimits   = 10
	sharePermits  = 4
	shareChoices  = 5
	shareFiles    = 8
	shareCommands = 6
	shareTools    = 4
	shareErrors   = 5
	sharePressure = 2
)

// trimDigest cuts each list to its share: the newest stay, except among specifics, where the likeliest stay. order is
// the rank of the specifics.
func trimDigest(d Digest, order []int, bound int) Digest {
	used := 0
	d.Asks, d.Left.Asks = trimList(d.Asks, shareAsks*bound/100, &used, d.Left.Asks, func(a *Ask) int { return len(a.Text) + 40 })
	d.Limits, d.Left.Limits = trimList(d.Limits, shareLimits*bound/100, &used, d.Left.Limits, noteSize)
	d.Permits, d.Left.Permits = trimList(d.Permits, sharePermits*bound/100, &used, d.Left.Permits, noteSize)
	d.Decisions, d.Left.Decisions = trimList(d.Decisions, shareChoices*bound/100, &used, d.Left.Decisions, noteSize)
	d.Pressure, d.Left.Pressure = trimList(d.Pressure, sharePressure*bound/100, &used, d.Left.Pressure, noteSize)
	slices.SortStableFunc(d.Files, func(a, b FileFact) int { return int(a.Last - b.Last) })
	d.Files, d.Left.Files = trimList(d.Files, shareFiles*bound/100, &used, d.Left.Files, func(f *FileFact) int { return len(f.Path) + 50 })
	slices.SortStableFunc(d.Commands, byLast)
	d.Commands, d.Left.Commands = trimList(d.Commands, shareCommands*bound/100, &used, d.Left.Commands, runSize)
	slices.SortStableFunc(d.Tools, byLast)
	d.Tools, d.Left.Tools = trimList(d.Tools, shareTools*bound/100, &used, d.Left.Tools, runSize)
	d.Errors, d.Left.Errors = trimList(d.Errors, shareErrors*bound/100, &used, d.Left.Errors, func(e *ErrorFact) int {
		return len(e.Tool) + len(e.Target) + len(e.Text) + 50
	})
	d.trimSpecifics(order, bound-used)
	return d
}

func noteSize(n *Note) int   { return len(n.Text) + 32 }
func runSize(r *RunFact) int { return len(r.Tool) + len(r.Target) + len(r.Result) + 60 }

func byLast(a, b RunFact) int { return int(a.Last - b.Last) }

// trimList keeps the end of a list that fits into room and adds what it dropped to left.
func trimList[T any](l []T, room int, used *int, left int, size func(*T) int) ([]T, int) {
	i, n := len(l), 0
	for i > 0 && n+size(&l[i-1]) <= room {
		i--
		n += size(&l[i])
	}
	*used += n
	if i == 0 {
		return l, left
	}
	return slices.Clone(l[i:]), left + i
}

// trimSpecifics keeps the likeliest specifics that fit, with the topics they need.
func (d *Digest) trimSpecifics(order []int, room int) {
	keep, n := slices.Clone(order), 0
	topics := make([]bool, len(d.Topics)+1)
	for _, k := range keep {
		s := &d.Specifics[k]
		size := len(s.Text) + 24
		if !topics[s.At] && s.At > 0 {
			size += len(d.Topics[s.At-1].Name) + 20
		}
		if room -= size; room < 0 {
			break
		}
		topics[s.At] = true
		n++
	}
	d.Left.Specifics += len(keep) - n
	keep = keep[:n]
	slices.Sort(keep)
	d.pickSpecifics(keep, topics)
}

func (d *Digest) pickSpecifics(keep []int, used []bool) {
	at := make([]int, len(used))
	var topics []Topic
	for i, t := range d.Topics {
		if used[i+1] {
			topics = append(topics, t)
			at[i+1] = len(topics)
		}
	}
	out := make(Specifics, len(keep))
	for i, k := range keep {
		out[i] = d.Specifics[k]
		out[i].At = at[out[i].At]
	}
	d.Topics, d.Specifics = topics, out
}
