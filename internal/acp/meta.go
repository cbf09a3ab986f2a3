package acp

import (
	"encoding/json"
	"fmt"
)

// Meta is the free part of every ACP object. Its keys are written sorted, so that equal metas have equal bytes.
type Meta map[string]json.RawMessage

// Keys of ours (protocol section 2).
const (
	MetaExt            = "tidemark/ext"
	MetaConfig         = "tidemark/config"
	MetaTools          = "tidemark/tools"
	MetaIdempotencyKey = "tidemark/idempotencyKey"
	MetaUsage          = "tidemark/usage"
	MetaSim            = "tidemark/sim"
	MetaSeq            = "tidemark/seq"
	MetaEpoch          = "tidemark/epoch"
	MetaTS             = "tidemark/ts"
	MetaTurn           = "tidemark/turn"
	MetaEphemeral      = "tidemark/ephemeral"
	MetaReplayed       = "tidemark/replayed"
	MetaCostUSD        = "tidemark/costUsd"
	MetaEstimated      = "tidemark/estimated"
	MetaPosture        = "tidemark/posture"
	MetaCompaction     = "tidemark/compaction"
	MetaCancelled      = "tidemark/cancelled"
	MetaAfter          = "tidemark/after"
	MetaResume         = "tidemark/resume"
)

// With returns the meta with one more entry. It panics on a value that has no JSON form, a programming error.
func (m Meta) With(key string, value any) Meta {
	raw, err := Marshal(value)
	if err != nil {
		panic("meta " + key + ": " + err.Error())
	}
	if m == nil {
		m = make(Meta)
	}
	m[key] = raw
	return m
}

// Has reports whether the key is there and not null.
func (m Meta) Has(key string) bool {
	raw, ok := m[key]
	return ok && string(raw) != "null"
}

// Read decodes one entry. It leaves v alone when the key is missing or null, and refuses a value of the wrong shape by
// the key's name.
func (m Meta) Read(key string, v any) *Error {
	if !m.Has(key) {
		return nil
	}
	if err := json.Unmarshal(m[key], v); err != nil {
		return shapeError(fmt.Sprintf("_meta[%q]", key), err)
	}
	return nil
}
