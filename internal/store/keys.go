package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"tidemark/internal/auth"
)

// Keys implements auth.KeyStore.
type Keys struct{ db *DB }

var _ auth.KeyStore = (*Keys)(nil)

// Keys is the database as the auth package sees it.
func (db *DB) Keys() *Keys { return &Keys{db} }

// CreateKey implements auth.KeyStore.
func (k *Keys) CreateKey(ctx context.Context, key auth.Key) error {
	return k.db.write(ctx, "create key "+key.ID, func(tx *gorm.DB) error {
		row := fromKey(key)
		return tx.Create(&row).Error
	})
}

// Key implements auth.KeyStore.
func (k *Keys) Key(ctx context.Context, id string) (auth.Key, error) {
	key, err := keyWhere(k.db.reader.WithContext(ctx), "id = ?", id)
	return key, k.db.fail("key "+id, err)
}

// KeyByHash implements auth.KeyStore. The hash is of 256 random bits: how long the look-up takes tells nothing.
func (k *Keys) KeyByHash(ctx context.Context, hash string) (auth.Key, error) {
	key, err := keyWhere(k.db.reader.WithContext(ctx), "hash = ?", hash)
	return key, k.db.fail("find key", err)
}

func keyWhere(tx *gorm.DB, where string, arg any) (auth.Key, error) {
	var row keyRow
	err := tx.Where(where, arg).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = auth.ErrNotFound
	}
	return row.toKey(), err
}

// Keys implements auth.KeyStore.
func (k *Keys) Keys(ctx context.Context) ([]auth.Key, error) {
	var rows []keyRow
	if err := k.db.reader.WithContext(ctx).Order("n").Find(&rows).Error; err != nil {
		return nil, k.db.fail("list keys", err)
	}
	return mapRows(rows, func(r keyRow) (auth.Key, error) { return r.toKey(), nil })
}

// RevokeKey implements auth.KeyStore.
func (k *Keys) RevokeKey(ctx context.Context, id string, at time.Time) (auth.Key, error) {
	var key auth.Key
	err := k.db.write(ctx, "revoke key "+id, func(tx *gorm.DB) error {
		err := tx.Exec("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", toStamp(at), id).Error
		if err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM logins WHERE key_id = ?", id).Error; err != nil {
			return err
		}
		key, err = keyWhere(tx, "id = ?", id)
		return err
	})
	return key, err
}

// CreateLogin implements auth.KeyStore.
func (k *Keys) CreateLogin(ctx context.Context, l auth.Login) error {
	return k.db.write(ctx, "create login", func(tx *gorm.DB) error {
		if err := tx.Exec("DELETE FROM logins WHERE expires_at <= ?", toStamp(l.CreatedAt)).Error; err != nil {
			return err
		}
		if err := writeMeta(tx, metaSignIn, "1"); err != nil {
			return err
		}
		row := fromLogin(l)
		return tx.Create(&row).Error
	})
}

// LoginByHash implements auth.KeyStore.
func (k *Keys) LoginByHash(ctx context.Context, hash string) (auth.Login, error) {
	var row loginRow
	err := k.db.reader.WithContext(ctx).Where("hash = ?", hash).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = auth.ErrNotFound
	}
	return row.toLogin(), k.db.fail("find login", err)
}

// DeleteLogin implements auth.KeyStore.
func (k *Keys) DeleteLogin(ctx context.Context, hash string) error {
	return k.db.write(ctx, "delete login", func(tx *gorm.DB) error {
		return tx.Exec("DELETE FROM logins WHERE hash = ?", hash).Error
	})
}

// EverSignedIn implements auth.KeyStore.
func (k *Keys) EverSignedIn(ctx context.Context) (bool, error) {
	value, err := readMeta(k.db.reader.WithContext(ctx), metaSignIn)
	return value != "", k.db.fail("ever signed in", err)
}
