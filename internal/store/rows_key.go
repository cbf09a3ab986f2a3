package store

import "tidemark/internal/auth"

// keyRow is an API key without its secret.
type keyRow struct {
	N       int64  `gorm:"column:n;primaryKey"`
	ID      string `gorm:"column:id"`
	Name    string `gorm:"column:name"`
	Role    string `gorm:"column:role"`
	Hash    string `gorm:"column:hash"`
	Hint    string `gorm:"column:hint"`
	Created stamp  `gorm:"column:created_at"`
	Expires *stamp `gorm:"column:expires_at"`
	Revoked *stamp `gorm:"column:revoked_at"`
}

func (keyRow) TableName() string { return "api_keys" }

func fromKey(k auth.Key) keyRow {
	return keyRow{
		ID: k.ID, Name: k.Name, Role: string(k.Role), Hash: k.Hash, Hint: k.Hint, Created: toStamp(k.CreatedAt),
		Expires: toStampPtr(k.ExpiresAt), Revoked: toStampPtr(k.RevokedAt),
	}
}

func (r keyRow) toKey() auth.Key {
	return auth.Key{
		ID: r.ID, Name: r.Name, Role: auth.Role(r.Role), Hash: r.Hash, Hint: r.Hint, CreatedAt: r.Created.time(),
		ExpiresAt: r.Expires.timePtr(), RevokedAt: r.Revoked.timePtr(),
	}
}

// loginRow is a browser that signed in.
type loginRow struct {
	Hash    string `gorm:"column:hash;primaryKey"`
	Owner   string `gorm:"column:owner"`
	Role    string `gorm:"column:role"`
	KeyID   string `gorm:"column:key_id"`
	Created stamp  `gorm:"column:created_at"`
	Expires stamp  `gorm:"column:expires_at"`
}

func (loginRow) TableName() string { return "logins" }

func fromLogin(l auth.Login) loginRow {
	return loginRow{l.Hash, l.Owner, string(l.Role), l.KeyID, toStamp(l.CreatedAt), toStamp(l.ExpiresAt)}
}

func (r loginRow) toLogin() auth.Login {
	return auth.Login{
		Hash: r.Hash, Owner: r.Owner, Role: auth.Role(r.Role), KeyID: r.KeyID, CreatedAt: r.Created.time(),
		ExpiresAt: r.Expires.time(),
	}
}

// auditRow is one entry of the audit log.
type auditRow struct {
	N      int64    `gorm:"column:n;primaryKey"`
	TS     stamp    `gorm:"column:ts"`
	Actor  string   `gorm:"column:actor"`
	Action string   `gorm:"column:action"`
	Target string   `gorm:"column:target"`
	Detail jsonText `gorm:"column:detail"`
}

func (auditRow) TableName() string { return "audit" }
