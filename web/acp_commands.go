package web

import (
	"strings"

	"tidemark/internal/acp"
	"tidemark/internal/compaction"
	"tidemark/internal/session"
)

// commands are the slash commands that the server answers itself (protocol section 3, "Commands").
var commands = []acp.Command{
	{Name: "cost", Description: "What this session cost, compaction shown apart"},
	{Name: "context", Description: "What the model is sent, and what a compaction would cover"},
	{Name: "compact", Description: "Compact the older history now", Input: &acp.CommandInput{Hint: "what to keep in focus (optional)"}},
	{Name: "undo", Description: "Take back the newest compaction"},
}

func commandsUpdate() acp.CommandsUpdate {
	return acp.CommandsUpdate{SessionUpdate: acp.UpdateCommands, AvailableCommands: commands}
}

// command is a slash command with what follows it.
type command struct{ name, rest string }

// commandOf reads a prompt that is a command: one text whose first word names one.
func commandOf(prompt []acp.ContentBlock) (command, bool) {
	if len(prompt) != 1 || prompt[0].Type != acp.ContentText {
		return command{}, false
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(prompt[0].Text), " ")
	name, ok := strings.CutPrefix(word, "/")
	if !ok {
		return command{}, false
	}
	for _, c := range commands {
		if c.Name == name && (rest == "" || c.Input != nil) {
			return command{name, strings.TrimSpace(rest)}, true
		}
	}
	return command{}, false
}

// runCommand answers a command as an agent message. It is not a turn: no turn row, no transcript row.
func (c *wsConn) runCommand(k *call, rec session.Record, cmd command) (any, error) {
	text, stop, err := c.commandText(k, rec, cmd)
	if err != nil {
		return nil, err
	}
	a, err := c.ensureAttached(k.ctx, rec.ID)
	if err != nil {
		return nil, err
	}
	if err := c.s.Sessions.Note(k.ctx, rec.ID, text); err != nil {
		return nil, err
	}
	a.await(k.ctx)
	return acp.PromptResponse{StopReason: stop}, nil
}

func (c *wsConn) commandText(k *call, rec session.Record, cmd command) (string, acp.StopReason, error) {
	switch cmd.name {
	case "compact":
		pass, err := c.compact(k, rec.ID, cmd.rest)
		if pass.Outcome == compaction.OutcomeCancelled {
			return passText(pass), acp.StopCancelled, err
		}
		return passText(pass), acp.StopEndTurn, err
	case "undo":
		pass, err := c.s.Sessions.Undo(k.ctx, rec.ID)
		return undoText(pass), acp.StopEndTurn, err
	}
	status, err := c.s.Sessions.Status(k.ctx, rec.ID)
	switch {
	case err != nil:
		return "", "", err
	case cmd.name == "context":
		return contextText(status.Posture), acp.StopEndTurn, nil
	}
	return costText(status), acp.StopEndTurn, nil
}
