package auth

import "time"

// AdminOwner is the owner that a sign-in link and TIDEMARK_ADMIN_KEY speak for (spec section 10).
const AdminOwner = "admin"

// Principal is who a request speaks for.
type Principal struct {
	Owner string
	Role  Role
	// KeyID is the key behind it, "env-…" for TIDEMARK_ADMIN_KEY, "" for a sign-in link.
	KeyID string
	// Login is the hash of the browser login, "" when a key was presented.
	Login string
	// ExpiresAt is when it ends by itself; zero = never.
	ExpiresAt time.Time
}

// Can reports whether the principal's role has the capability.
func (p Principal) Can(c Capability) bool { return p.Role.Can(c) }

// Owns reports whether something of that owner is the principal's own.
func (p Principal) Owns(owner string) bool { return p.Owner != "" && p.Owner == owner }

// MayDrive reports whether the principal may prompt and configure a session of that owner.
func (p Principal) MayDrive(owner string) bool { return p.Can(CapSessions) && p.Owns(owner) }

// MayOperate reports whether the principal may stop, close, compact or undo a session of that owner.
func (p Principal) MayOperate(owner string) bool { return p.MayDrive(owner) || p.Can(CapOperate) }

// MaySee reports whether the principal may see the figures of a session of that owner.
func (p Principal) MaySee(owner string) bool { return p.MayDrive(owner) || p.Can(CapFigures) }

// MayRead reports whether the principal may read the text of a session of that owner.
func (p Principal) MayRead(owner string) bool { return p.MayDrive(owner) || p.Can(CapText) }
