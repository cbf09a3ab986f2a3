package transcript_test

import (
	"testing"

	"tidemark/internal/transcript"
)

// TestDetect tells forms from their beginnings.
func TestDetect(t *testing.T) {
	for in, want := range map[string]transcript.Form{
		``:                              transcript.FormUnknown,
		`hello`:                         transcript.FormUnknown,
		`{"a":1}`:                       transcript.FormUnknown,
		`[]`:                            transcript.FormUnknown,
		`[1]`:                           transcript.FormUnknown,
		"\ufeff" + `{"type":"session"}`: transcript.FormCorpus,
		`{"type":"session","id":"x"}` + "\n" + `{"role":`:                                    transcript.FormCorpus,
		`{"type":"summary","leafUuid":"x"}`:                                                  transcript.FormClaudeCode,
		`{"type":"queue-operation","sessionId":"x"}`:                                         transcript.FormClaudeCode,
		`{"type":"user","message":{}}`:                                                       transcript.FormClaudeCode,
		`{"type":"session_meta","payload":{}}`:                                               transcript.FormCodex,
		`{"id":"x","timestamp":"y","instructions":null}`:                                     transcript.FormCodex,
		`{"record_type":"state"}`:                                                            transcript.FormCodex,
		`{"type":"message","role":"user","content":[]}`:                                      transcript.FormCodex,
		`[{"role":"user","content":"a"},{"role":"assist`:                                     transcript.FormAnthropic,
		`[{"role":"user","content":"a"},{"role":"tool","content":"b"}]`:                      transcript.FormOpenAI,
		`[{"role":"user","content":[{"type":"image_url"}]}]`:                                 transcript.FormOpenAI,
		`{"messages":[]}`:                                                                    transcript.FormAnthropic,
		`{"system":"x","messages":[{"role":"user","content":"a"}]}`:                          transcript.FormAnthropic,
		`{"messages":[{"role":"system","content":"a"}]}`:                                     transcript.FormOpenAI,
		`{"role":"user","content":"a"}` + "\n" + `{"role":"assistant","tool_calls":[{}]}`:    transcript.FormOpenAI,
		`{"role":"user","content":"a"}` + "\n" + `{"role":"assistant","content":"b"}` + "\n": transcript.FormAnthropic,
	} {
		if got := transcript.Detect([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestBareLines reads message lines that no session line opens.
func TestBareLines(t *testing.T) {
	rec := readText(t, `{"role":"user","content":"a"}`+"\n"+`{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f"}}]}`)
	if want := "\nuser: a\nassistant: use c f {}"; rec.Form != transcript.FormOpenAI || sketch(rec.Messages) != want {
		t.Errorf("%q %s", rec.Form, sketch(rec.Messages))
	}
}
