package auth

import "strings"

// Role of a key; a closed set.
type Role string

// Roles (spec section 10, "tidemark key create").
const (
	RoleClient   Role = "client"   // drives its own sessions
	RoleViewer   Role = "viewer"   // sees figures of all sessions, no text, changes nothing
	RoleOperator Role = "operator" // sees text too; stops, closes, compacts, undoes; has sessions of its own
	RoleAdmin    Role = "admin"    // everything, keys included
)

// Roles lists them from the least to the most.
var Roles = []Role{RoleClient, RoleViewer, RoleOperator, RoleAdmin}

// Capability is one thing a role may do.
type Capability string

// Capabilities. Roles are sets of these and not a ladder: a viewer may look at every session's figures and yet open
// none, a client the other way round.
const (
	CapSessions Capability = "sessions" // create and drive one's own sessions
	CapFigures  Capability = "figures"  // figures and events of all sessions, health details
	CapText     Capability = "text"     // messages and summaries of all sessions
	CapOperate  Capability = "operate"  // stop, close, compact, undo any session
	CapKeys     Capability = "keys"     // keys, budgets, retention, sign-in links
)

// capabilities is the one table of what a role may do.
var capabilities = map[Role][]Capability{
	RoleClient:   {CapSessions},
	RoleViewer:   {CapFigures},
	RoleOperator: {CapSessions, CapFigures, CapText, CapOperate},
	RoleAdmin:    {CapSessions, CapFigures, CapText, CapOperate, CapKeys},
}

// Can reports whether the role has the capability. An unknown role has none.
func (r Role) Can(c Capability) bool {
	for _, have := range capabilities[r] {
		if have == c {
			return true
		}
	}
	return false
}

// Valid reports whether the role is one of the four.
func (r Role) Valid() bool { return capabilities[r] != nil }

// ParseRole reads a role's name.
func ParseRole(s string) (Role, error) {
	if r := Role(s); r.Valid() {
		return r, nil
	}
	names := make([]string, len(Roles))
	for i, r := range Roles {
		names[i] = string(r)
	}
	return "", &ParamError{"role", s, "allowed: " + strings.Join(names, ", ")}
}
