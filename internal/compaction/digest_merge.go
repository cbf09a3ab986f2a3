package compaction

import "slices"

// DefaultDigestBound is the size in bytes that a stored merge of digests is kept under.
const DefaultDigestBound = 64 << 10

// MergeDigests merges digests in transcript order into one of about bound bytes at most; what does not fit is counted
// in Left. Zero means [DefaultDigestBound].
func MergeDigests(ds []Digest, bound int) Digest {
	if bound <= 0 {
		bound = DefaultDigestBound
	}
	d := mergeAll(ds)
	return trimDigest(d, rankSpecifics(d.Specifics, d.Topics, ""), bound)
}

// mergeAll merges without a bound.
func mergeAll(ds []Digest) Digest {
	m := newMerger(ds)
	for i := range ds {
		m.d.Last = max(m.d.Last, ds[i].Last)
	}
	for i := range ds {
		if !ds[i].Empty() {
			m.add(&ds[i])
		}
	}
	m.settle()
	return m.d
}

// Says and answers tell where the work stands; older ones are history that other lists tell better.
const (
	maxSays    = 6
	maxAnswers = 8
)

// merger folds digests into one. Lists keep the order of first appearance, so no map order can reach the result.
type merger struct {
	d         Digest
	topics    map[Topic]int
	specifics map[string]int
	files     map[string]int
	runs      map[[2]string]int
	tools     map[[2]string]int
	errors    map[[3]string]int
	asks      map[string]int
	notes     map[noteKey]int
}

type noteKey struct {
	list int
	text string
}

func newMerger(ds []Digest) *merger {
	n := 0
	for i := range ds {
		n += len(ds[i].Specifics)
	}
	return &merger{
		d:      Digest{Version: ExtractorVersion},
		topics: map[Topic]int{}, specifics: make(map[string]int, n/2), files: map[string]int{}, runs: map[[2]string]int{},
		tools: map[[2]string]int{}, errors: map[[3]string]int{}, asks: map[string]int{}, notes: map[noteKey]int{},
	}
}

func (m *merger) add(o *Digest) {
	m.head(o)
	for _, a := range o.Asks {
		m.ask(a)
	}
	m.d.Answers = append(m.d.Answers, o.Answers...)
	m.d.Says = append(m.d.Says, o.Says...)
	for _, f := range o.Files {
		m.file(f)
	}
	for _, r := range o.Commands {
		mergeRun(&m.d.Commands, m.runs, r)
	}
	for _, r := range o.Tools {
		mergeRun(&m.d.Tools, m.tools, r)
	}
	for _, e := range o.Errors {
		m.failure(e)
	}
	for i, l := range m.d.noteLists() {
		for _, n := range *o.noteLists()[i] {
			m.note(l, i, n)
		}
	}
	if o.Plan != nil {
		m.d.Plan = o.Plan
	}
	m.addSpecifics(o)
	m.d.Left = m.d.Left.plus(o.Left)
}

// noteLists are the lists of notes that are merged alike.
func (d *Digest) noteLists() [4]*[]Note {
	return [4]*[]Note{&d.Decisions, &d.Limits, &d.Permits, &d.Pressure}
}

func (m *merger) head(o *Digest) {
	if m.d.Rows == 0 || o.First < m.d.First {
		m.d.First = o.First
	}
	m.d.Rows += o.Rows
	m.d.Tokens += o.Tokens
	m.d.Masked += o.Masked
}

// ask keeps one copy of words said twice, at the place of the newer.
func (m *merger) ask(a Ask) {
	if i, ok := m.asks[a.Text]; ok && m.d.Asks[i].Text == a.Text {
		m.d.Asks[i].Text = "" // settled by settle
		a.Times = m.d.Asks[i].Times + 1
	}
	m.asks[a.Text] = len(m.d.Asks)
	m.d.Asks = append(m.d.Asks, a)
}

func (m *merger) file(f FileFact) {
	i, ok := m.files[f.Path]
	if !ok {
		m.files[f.Path] = len(m.d.Files)
		m.d.Files = append(m.d.Files, f)
		return
	}
	g := &m.d.Files[i]
	if f.done() || !g.done() {
		g.Last = max(g.Last, f.Last)
	}
	g.Read += f.Read
	g.Edited += f.Edited
	g.Wrote += f.Wrote
	g.Failed += f.Failed
}

func mergeRun(list *[]RunFact, at map[[2]string]int, r RunFact) {
	k := [2]string{r.Tool, r.Target}
	i, ok := at[k]
	if !ok {
		at[k] = len(*list)
		*list = append(*list, r)
		return
	}
	r.Runs += (*list)[i].Runs
	(*list)[i] = r
}

func (m *merger) failure(e ErrorFact) {
	k := [3]string{e.Tool, e.Target, e.Text}
	if i, ok := m.errors[k]; ok {
		e.Times += m.d.Errors[i].Times + 1
		m.d.Errors[i] = e
		return
	}
	m.errors[k] = len(m.d.Errors)
	m.d.Errors = append(m.d.Errors, e)
}

func (m *merger) note(l *[]Note, list int, n Note) {
	k := noteKey{list, n.Text}
	if i, ok := m.notes[k]; ok {
		(*l)[i].Seq = max((*l)[i].Seq, n.Seq)
		return
	}
	m.notes[k] = len(*l)
	*l = append(*l, n)
}

func (m *merger) addSpecifics(o *Digest) {
	at := make([]int, len(o.Topics)+1)
	for i, t := range o.Topics {
		p, ok := m.topics[t]
		if !ok {
			m.d.Topics = append(m.d.Topics, t)
			p = len(m.d.Topics)
			m.topics[t] = p
		}
		at[i+1] = p
	}
	shift := int(m.d.Last - o.Last)
	for i := range o.Specifics {
		s := o.Specifics[i]
		s.Age += shift
		if s.At < 0 || s.At >= len(at) {
			s.At = 0
		}
		s.At = at[s.At]
		j, ok := m.specifics[s.Text]
		if !ok {
			m.specifics[s.Text] = len(m.d.Specifics)
			m.d.Specifics = append(m.d.Specifics, s)
			continue
		}
		t := &m.d.Specifics[j]
		if s.At != 0 && (t.At == 0 || m.d.Topics[s.At-1].Kind.weight() > m.d.Topics[t.At-1].Kind.weight()) {
			t.At = s.At
		}
		t.add(&s)
	}
}

func lastOf[T any](l []T, n int) []T {
	if len(l) > n {
		l = slices.Clone(l[len(l)-n:])
	}
	return l
}

func (l Left) plus(o Left) Left {
	l.Asks += o.Asks
	l.Files += o.Files
	l.Commands += o.Commands
	l.Tools += o.Tools
	l.Errors += o.Errors
	l.Decisions += o.Decisions
	l.Limits += o.Limits
	l.Permits += o.Permits
	l.Pressure += o.Pressure
	l.Specifics += o.Specifics
	return l
}
