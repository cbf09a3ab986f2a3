package sim

import (
	"tidemark/internal/message"
	"tidemark/internal/provider"
)

// Served is one call as the service saw it. Usage is what it counted, also where the answer reported none, so that a
// ledger can be compared with it token by token (spec 7.7).
type Served struct {
	Model     string
	Request   provider.Request
	RequestID string
	Usage     message.Usage
	Stop      provider.StopReason // "" when the call failed or was left
	Err       *provider.Error
	Left      bool // the caller broke out of the loop; it was told no usage
}

// Totals are the calls of one model so far. Usage covers answered and failed calls alike; what calls cost that the
// caller left without hearing the end is in Left alone.
type Totals struct {
	Calls  int // all of them
	Failed int
	Broken int // left by the caller
	Usage  message.Usage
	Left   message.Usage
}

// Totals returns the count of one model.
func (p *Provider) Totals(model string) Totals {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.totals[model]
}

// served books a call and tells the hook.
func (p *Provider) served(s Served) {
	p.mu.Lock()
	t := p.totals[s.Model]
	t.Calls++
	switch {
	case s.Left:
		t.Broken++
		t.Left = t.Left.Add(s.Usage)
	default:
		t.Usage = t.Usage.Add(s.Usage)
	}
	if s.Err != nil {
		t.Failed++
	}
	p.totals[s.Model] = t
	p.mu.Unlock()
	if p.cfg.OnServed != nil {
		p.cfg.OnServed(s)
	}
}
