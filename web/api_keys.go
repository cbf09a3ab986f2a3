package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tidemark/internal/auth"
)

// apiKeys lists keys without their secrets, revoked ones too.
func (s *Server) apiKeys(c echo.Context) error {
	keys, err := s.Auth.Keys(c.Request().Context())
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, listJSON[auth.Key]{Items: notNil(keys)})
}

// keyRequest asks for a key. The name is the owner of what is done with it; no lifetime means that it never expires.
type keyRequest struct {
	Name       string    `json:"name"`
	Role       auth.Role `json:"role"`
	TTLSeconds int64     `json:"ttl_seconds"`
}

// newKeyJSON shows the secret, this once.
type newKeyJSON struct {
	Key    auth.Key `json:"key"`
	Secret string   `json:"secret"`
}

func (s *Server) apiNewKey(c echo.Context) error {
	in, err := readJSON[keyRequest](s, c)
	if err != nil {
		return err
	}
	key, secret, err := s.Auth.CreateKey(c.Request().Context(), in.Name, in.Role, time.Duration(in.TTLSeconds)*time.Second)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusCreated, newKeyJSON{key, secret})
}

// apiRevokeKey revokes a key, its logins and its sockets.
func (s *Server) apiRevokeKey(c echo.Context) error {
	key, err := s.Auth.RevokeKey(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	s.sockets.endKey(key.ID)
	return writeJSON(c, http.StatusOK, key)
}
