package web

import (
	"encoding/json"
	"fmt"
	"regexp"

	"tidemark/internal/acp"
	"tidemark/internal/message"
	"tidemark/internal/session"
)

// sessionNew makes a session and attaches to it. Its rows follow the answer, since the client learns the id from that.
func (c *wsConn) sessionNew(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.NewSessionRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	n, tools, err := c.newSession(k, in)
	if err != nil {
		return nil, err
	}
	c.attaching.Lock()
	defer c.attaching.Unlock()
	rec, err := c.s.Sessions.Create(k.ctx, n)
	if err != nil {
		return nil, err
	}
	a, err := c.attach(k.ctx, rec.ID, tools)
	if err != nil {
		return nil, err
	}
	c.reply(k, acp.NewSessionResponse{
		SessionID: rec.ID, ConfigOptions: c.options(rec), Meta: acp.Meta{}.With(acp.MetaConfig, effective(rec)),
	}, nil)
	c.send(replayedFrame(rec.ID, commandsUpdate(), c.capabilities()))
	a.follow(0)
	return replied{}, nil
}

// newSession checks what a client asks for.
func (c *wsConn) newSession(k *call, in acp.NewSessionRequest) (session.NewSession, []acp.ToolSpec, error) {
	if err := checkPlace(in.CWD, in.MCPServers); err != nil {
		return session.NewSession{}, nil, err
	}
	var cfg acp.SessionConfig
	if bad := in.Meta.Read(acp.MetaConfig, &cfg); bad != nil {
		return session.NewSession{}, nil, bad
	}
	tools, err := readTools(in.Meta)
	if err != nil {
		return session.NewSession{}, nil, err
	}
	if cfg.Parent != "" {
		if _, err := c.session(k, cfg.Parent, mayDrive); err != nil {
			return session.NewSession{}, nil, badParam("parent", "no such session of yours")
		}
	}
	policy := session.Disconnect(cfg.Disconnect)
	if policy != "" && policy != session.DisconnectContinue && policy != session.DisconnectCancel {
		return session.NewSession{}, nil, badParam("disconnect", "must be continue or cancel")
	}
	caps := c.capabilities()
	return session.NewSession{
		Owner: c.who.Owner, CWD: in.CWD, Model: cfg.Model, System: cfg.System, ParentID: cfg.Parent,
		Tools: toolSpecs(tools), FileTools: session.FileTools{Read: caps.ReadFile, Write: caps.WriteFile},
		Overrides: cfg.Compaction, Window: cfg.Window, Disconnect: policy,
	}, tools, nil
}

// absolute takes the absolute paths of all systems: a client's folder is a label here (protocol section 1).
var absolute = regexp.MustCompile(`^(/|\\\\|[A-Za-z]:[\\/])`)

// maxCWD bounds the label.
const maxCWD = 4096

// checkPlace checks the working folder and refuses MCP servers: a hosted server cannot run a client's programs, and
// none that speaks HTTP is served yet.
func checkPlace(cwd string, servers []json.RawMessage) error {
	if !absolute.MatchString(cwd) || len(cwd) > maxCWD {
		return badParam("cwd", fmt.Sprintf("must be an absolute path of at most %d bytes", maxCWD))
	}
	if len(servers) == 0 {
		return nil
	}
	var first struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(servers[0], &first)
	return badParam("mcpServers", fmt.Sprintf("%.100q cannot be used: this server connects to no MCP servers", first.Name))
}

// toolName is what providers accept as the name of a tool.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// maxTools bounds what one client may register.
const maxTools = 128

// readTools reads the tools that a client runs (protocol section 2).
func readTools(meta acp.Meta) ([]acp.ToolSpec, error) {
	var tools []acp.ToolSpec
	if bad := meta.Read(acp.MetaTools, &tools); bad != nil {
		return nil, bad
	}
	if len(tools) > maxTools {
		return nil, badParam(acp.MetaTools, fmt.Sprintf("at most %d tools", maxTools))
	}
	seen := make(map[string]bool, len(tools))
	for _, t := range tools {
		if !toolName.MatchString(t.Name) || seen[t.Name] {
			return nil, badParam(acp.MetaTools, fmt.Sprintf("%.80q must be a name of 1 to 64 letters, digits, _ or -, used once", t.Name))
		}
		if len(t.InputSchema) == 0 || t.InputSchema[0] != '{' {
			return nil, badParam(acp.MetaTools, fmt.Sprintf("%s: inputSchema must be a JSON Schema object", t.Name))
		}
		seen[t.Name] = true
	}
	return tools, nil
}

func toolSpecs(tools []acp.ToolSpec) []message.ToolSpec {
	out := make([]message.ToolSpec, len(tools))
	for i, t := range tools {
		out[i] = message.ToolSpec(t)
	}
	return out
}

// effective is what of a session's configuration took effect.
func effective(rec session.Record) acp.SessionConfig {
	knobs, _ := acp.Marshal(rec.Compaction) // plain values
	return acp.SessionConfig{
		Model: rec.Model, System: rec.System, Parent: rec.ParentID, Compaction: knobs, Disconnect: string(rec.Disconnect),
	}
}

func (c *wsConn) options(rec session.Record) []acp.ConfigOption {
	return c.s.mapper.options(rec.Model, string(rec.Compaction.Mode))
}
