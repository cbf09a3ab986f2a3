package web

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// overviewCollector reads the figures that the store keeps, at scrape time: nothing is counted twice.
type overviewCollector struct{ s *Server }

var overviewDescs = map[string]*prometheus.Desc{
	"running":      desc("tidemark_sessions_running", "Sessions with a running turn."),
	"calls":        desc("tidemark_model_calls_total", "Model calls in the ledger."),
	"unpriced":     desc("tidemark_model_calls_unpriced_total", "Model calls without a price."),
	"cost":         desc("tidemark_spend_usd_total", "Spend of all priced calls."),
	"compaction":   desc("tidemark_compaction_spend_usd_total", "Part of the spend that went into compaction."),
	"input":        desc("tidemark_tokens_total", "Tokens by bucket.", "bucket"),
	"passes":       desc("tidemark_compactions_total", "Compactions by outcome.", "outcome"),
	"cache_hits":   desc("tidemark_summary_cache_hits_total", "Compactions answered by the summary cache."),
	"tokens_in":    desc("tidemark_compacted_tokens_total", "Tokens of the spans that were covered."),
	"tokens_out":   desc("tidemark_summary_tokens_total", "Tokens of the summaries that took their place."),
	"event_newest": desc("tidemark_event_newest_id", "Newest catalog event."),
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (o *overviewCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range overviewDescs {
		ch <- d
	}
}

// Collect implements prometheus.Collector. Without a database there is nothing to tell.
func (o *overviewCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	v, err := o.s.Reader.Overview(ctx, time.Time{}, o.s.cfg.Now())
	if err != nil {
		o.s.Log.Warn("metrics without the ledger's figures", "error", err)
		return
	}
	send := func(key string, kind prometheus.ValueType, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(overviewDescs[key], kind, value, labels...)
	}
	count, gauge := prometheus.CounterValue, prometheus.GaugeValue
	send("running", gauge, float64(v.Running))
	send("calls", count, float64(v.Calls))
	send("unpriced", count, float64(v.UnpricedCalls))
	send("cost", count, float64(v.CostPico)/1e12)
	send("compaction", count, float64(v.CompactionPico)/1e12)
	for bucket, n := range map[string]int{
		"input": v.Usage.Input, "cache_read": v.Usage.CacheRead, "cache_write_5m": v.Usage.CacheWrite5m,
		"cache_write_1h": v.Usage.CacheWrite1h, "output": v.Usage.Output,
	} {
		send("input", count, float64(n), bucket)
	}
	send("passes", count, float64(v.Passes), "applied")
	send("passes", count, float64(v.PassesFailed), "failed")
	send("cache_hits", count, float64(v.SummaryCacheHits))
	send("tokens_in", count, float64(v.TokensCompacted))
	send("tokens_out", count, float64(v.TokensSummaries))
	send("event_newest", gauge, float64(v.HeadID))
}
