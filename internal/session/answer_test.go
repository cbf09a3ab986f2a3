package session_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
	"tidemark/internal/session"
	"tidemark/internal/session/sessiontest"
)

// replayed opens a session of sim:replay whose tool "look" answers.
func replayed(t *testing.T) (*sessiontest.World, session.ID) {
	t.Helper()
	w := sessiontest.Open(t, sessiontest.Options{})
	id := w.NewSession(withLook(session.NewSession{Model: "sim:replay"}))
	looker(t, w, id, "seen")
	return w, id
}

// play is a turn with the recorded answers.
func play(w *sessiontest.World, id session.ID, steps ...message.Blocks) session.TurnResult {
	return w.Do(id, session.Prompt{Blocks: message.Blocks{message.Text{Text: "go on"}}, Script: steps})
}

func look(id string) message.Block {
	return message.ToolUse{ID: id, Name: "look", Input: []byte("{}")}
}

// A model that gives one id twice, or none, does not end the session: the rows stay valid and each call has its result.
func TestAnswer_CallIDsStayUnique(t *testing.T) {
	done := message.Blocks{message.Text{Text: "done"}}
	for name, turns := range map[string][][]message.Blocks{
		"in one answer":     {{{look("a"), look("a")}, done}},
		"in one turn":       {{{look("a")}, {look("a")}, done}},
		"in two turns":      {{{look("a")}, done}, {{look("a")}, done}},
		"without an id":     {{{look("")}, done}},
		"without a name":    {{{message.ToolUse{ID: "b", Input: []byte("{}")}}, done}},
		"several and blank": {{{message.Text{Text: " "}, look(""), look("")}, done}},
	} {
		t.Run(name, func(t *testing.T) {
			w, id := replayed(t)
			for _, steps := range turns {
				require.Nil(t, play(w, id, steps...).Err)
			}
			require.Nil(t, play(w, id, done).Err, "the session goes on")
			rows, err := w.Store.Messages(context.Background(), id, -1, 100)
			require.NoError(t, err)
			require.NoError(t, message.ValidatePrefix(rows))
		})
	}
}

func TestAnswer_ScriptWithResultsIsRefused(t *testing.T) {
	w, id := replayed(t)
	_, err := w.Prompt(context.Background(), id, session.Prompt{
		Blocks: message.Blocks{message.Text{Text: "go on"}}, Script: []message.Blocks{{message.TextResult("a", "no", false)}},
	})
	var param *session.ParamError
	require.ErrorAs(t, err, &param)
	require.Equal(t, "tidemark/sim", param.Param)
	require.Nil(t, play(w, id, message.Blocks{message.Text{Text: "fine"}}).Err)
}
