package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"tidemark/internal/acp"
)

// fakeServer speaks just enough of the wire to be driven: every prompt runs once by key, asks for one tool and one
// permission, and writes three stream rows that can be resumed.
type fakeServer struct {
	*httptest.Server
	t testing.TB

	mu      sync.Mutex
	rows    int64
	turns   map[string]int // runs by key: must all be 1
	answers []string       // tool results as they came
	allowed []string
	created []acp.NewSessionRequest
	resumes int
	refuse  func(method string) *acp.Error // nil = serve
	skip    bool                           // leave a hole in the stream
}

func newFakeServer(t testing.TB) *fakeServer {
	f := &fakeServer{t: t, turns: make(map[string]int)}
	mux := http.NewServeMux()
	mux.HandleFunc("/acp", f.accept)
	mux.HandleFunc("/api/v1/sessions/", f.books)
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeServer) accept(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer good" {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	s := &fakeSocket{f: f, ws: ws, ctx: r.Context(), answers: make(map[string]chan acp.Envelope)}
	for {
		_, frame, err := ws.Read(s.ctx)
		if err != nil {
			return
		}
		env, bad := acp.Decode(frame)
		if bad != nil {
			f.t.Errorf("bad frame: %v", bad)
			return
		}
		go s.take(env)
	}
}

type fakeSocket struct {
	f       *fakeServer
	ws      *websocket.Conn
	ctx     context.Context
	mu      sync.Mutex
	asked   int64
	answers map[string]chan acp.Envelope
}

func (s *fakeSocket) take(env acp.Envelope) {
	if env.Kind() == acp.KindResponse {
		s.mu.Lock()
		c := s.answers[env.ID.String()]
		s.mu.Unlock()
		if c != nil {
			c <- env
		}
		return
	}
	s.f.mu.Lock()
	refuse := s.f.refuse
	s.f.mu.Unlock()
	if refuse != nil {
		if bad := refuse(env.Method); bad != nil {
			frame, _ := acp.EncodeError(env.ID, bad)
			s.send(frame)
			return
		}
	}
	result := s.handle(env)
	frame, err := acp.EncodeResult(env.ID, result)
	if err != nil {
		s.f.t.Errorf("encode: %v", err)
	}
	s.send(frame)
}

func (s *fakeSocket) send(frame []byte) { _ = s.ws.Write(s.ctx, websocket.MessageText, frame) }

func (s *fakeSocket) handle(env acp.Envelope) any {
	f := s.f
	switch env.Method {
	case acp.MethodSessionNew:
		req, _ := acp.DecodeParams[acp.NewSessionRequest](env.Params)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.created = append(f.created, req)
		return acp.NewSessionResponse{SessionID: "s1"}
	case acp.MethodSessionResume:
		return s.resume(env)
	case acp.MethodPrompt:
		return s.prompt(env)
	}
	return nil
}

func (s *fakeSocket) resume(env acp.Envelope) any {
	req, _ := acp.DecodeParams[acp.ResumeSessionRequest](env.Params)
	after := int64(-1)
	_ = req.Meta.Read(acp.MetaAfter, &after)
	s.f.mu.Lock()
	head := s.f.rows
	s.f.resumes++
	s.f.mu.Unlock()
	for n := after + 1; after >= 0 && n <= head; n++ {
		s.row(n)
	}
	return acp.ResumeSessionResponse{Meta: acp.Meta{}.With(acp.MetaResume, acp.Resume{Head: head, Recovered: after >= 0})}
}

// prompt runs a turn once by its key; a second call with the key gets the same answer.
func (s *fakeSocket) prompt(env acp.Envelope) any {
	req, _ := acp.DecodeParams[acp.PromptRequest](env.Params)
	var key string
	_ = req.Meta.Read(acp.MetaIdempotencyKey, &key)
	s.f.mu.Lock()
	again := s.f.turns[key] > 0
	if !again {
		s.f.turns[key]++
	}
	s.f.mu.Unlock()
	if !again {
		s.newRow()
		s.ask(acp.MethodRequestPermission, acp.RequestPermissionRequest{SessionID: "s1", Options: acp.PermissionOptions()})
		s.ask(acp.MethodExtToolCall, acp.ToolCallRequest{SessionID: "s1", ToolCallID: "1", Name: "ls", Input: json.RawMessage(`{}`)})
		s.newRow()
		if s.f.skip {
			s.f.mu.Lock()
			s.f.rows++
			s.f.mu.Unlock()
		}
		s.newRow()
	}
	return acp.PromptResponse{StopReason: acp.StopEndTurn}
}

func (s *fakeSocket) newRow() {
	s.f.mu.Lock()
	s.f.rows++
	n := s.f.rows
	s.f.mu.Unlock()
	s.row(n)
}

func (s *fakeSocket) row(n int64) {
	meta := acp.Meta{}.With(acp.MetaSeq, n).With(acp.MetaEpoch, "e1")
	frame, _ := acp.EncodeNotification(acp.MethodExtTurn, acp.TurnNotification{SessionID: "s1", State: "started", Meta: meta})
	s.send(frame)
}

func (s *fakeSocket) ask(method string, params any) {
	c := make(chan acp.Envelope, 1)
	s.mu.Lock()
	s.asked++
	id := acp.IntID(s.asked)
	s.answers[id.String()] = c
	s.mu.Unlock()
	frame, _ := acp.EncodeRequest(id, method, params)
	s.send(frame)
	select {
	case env := <-c:
		s.f.mu.Lock()
		defer s.f.mu.Unlock()
		if method == acp.MethodExtToolCall {
			s.f.answers = append(s.f.answers, string(env.Result))
		} else {
			s.f.allowed = append(s.f.allowed, string(env.Result))
		}
	case <-s.ctx.Done():
	}
}

// books are empty but for the turns.
func (f *fakeServer) books(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/turns") && r.URL.Query().Get("cursor") == "":
		var rows []string
		for range f.turns {
			rows = append(rows, `{"state":"completed","steps":2,"cost_usd":"0","compaction_cost_usd":"0"}`)
		}
		fmt.Fprintf(w, `{"items":[%s],"next_cursor":"more"}`, strings.Join(rows, ","))
	case strings.Count(r.URL.Path, "/") > 4 && !strings.HasSuffix(r.URL.Path, "/posture"):
		fmt.Fprint(w, `{"items":[],"next_cursor":null}`)
	default:
		fmt.Fprint(w, `{"id":"s1","cost_usd":"0","compaction_cost_usd":"0"}`)
	}
}

func (f *fakeServer) runsByKey() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.turns
}

func require1Each(t testing.TB, f *fakeServer, turns int) {
	t.Helper()
	require.Len(t, f.runsByKey(), turns)
	for key, n := range f.runsByKey() {
		require.Equal(t, 1, n, key)
	}
}
