package web

import (
	"tidemark/internal/acp"
)

// authMethod is the one way to sign in: the credential that came with the handshake.
const authMethod = "tidemark-key"

// initialize agrees on version and capabilities.
func (c *wsConn) initialize(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.InitializeRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	if in.ProtocolVersion == nil {
		return nil, badParam("protocolVersion", "is required")
	}
	c.mu.Lock()
	again := c.initialized
	if !again {
		c.initialized, c.caps = true, in.ClientCapabilities.Capabilities()
	}
	c.mu.Unlock()
	if again {
		return nil, fail("invalid_request", "this connection is initialized")
	}
	return initializeResponse(c.s.Version), nil
}

// initializeResponse is what we are and can. A version that we do not speak gets ours all the same.
func initializeResponse(version string) acp.InitializeResponse {
	if version == "" {
		version = "dev"
	}
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersion,
		AgentInfo:       acp.Implementation{Name: "tidemark", Title: "Tidemark", Version: version},
		AuthMethods: []acp.AuthMethod{{
			ID: authMethod, Name: "API key", Description: "Sent with the handshake: bearer token, sign-in cookie or ticket",
		}},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{
				List: &acp.Flag{}, Resume: &acp.Flag{}, Close: &acp.Flag{}, Delete: &acp.Flag{},
			},
			Auth: acp.AgentAuth{Logout: &acp.Flag{}},
			Meta: acp.Meta{}.With(acp.MetaExt, acp.Ext{
				Version: acp.ExtVersion, Seq: true, ResumeAfter: true, Idempotency: true, Tools: true, Budgets: true,
			}),
		},
	}
}

// authenticate signs in again after a logout, with the credential of the handshake if that still holds. A new one needs
// a new connection: secrets do not travel in frames.
func (c *wsConn) authenticate(k *call) (any, error) {
	in, bad := acp.DecodeParams[acp.AuthenticateRequest](k.params)
	if bad != nil {
		return nil, bad
	}
	if in.MethodID != authMethod {
		return nil, badParam("methodId", "must be "+authMethod)
	}
	if err := c.s.Auth.Recheck(k.ctx, c.who); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.signedOut = false
	c.mu.Unlock()
	return acp.Empty{}, nil
}

// logout lets go of all sessions; only initialize and authenticate are served after it.
func (c *wsConn) logout(*call) (any, error) {
	c.mu.Lock()
	c.signedOut = true
	c.mu.Unlock()
	c.attaching.Lock()
	defer c.attaching.Unlock()
	c.detachAll()
	return acp.Empty{}, nil
}
