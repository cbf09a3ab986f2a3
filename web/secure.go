package web

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/oklog/ulid/v2"
)

// Keys of log records.
const (
	keyRequestID = "request_id"
	keySessionID = "session_id"
	keyConnID    = "conn_id"
)

const (
	ctxRequestID = "tidemark.request_id"
	ctxIdentity  = "tidemark.identity"
)

// requestID names a request in answers and in the log.
func requestID(c echo.Context) string {
	id, _ := c.Get(ctxRequestID).(string)
	return id
}

// contentPolicy lets a page load only what this server embeds: no remote script, image or frame, whatever text a model
// or a tool puts into it (cases D7 #68, #69).
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secureHeaders sets what every answer carries.
func (s *Server) secureHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}

func newRequestID() string { return ulid.Make().String() }

// credentialParams are query names under which programs send secrets.
var credentialParams = map[string]bool{
	"token": true, "access_token": true, "auth": true, "authorization": true, "bearer": true, "key": true, "api_key": true,
	"apikey": true, "ticket": true, "password": true, "secret": true,
}

// refuseURLCredentials answers 400 to a credential in the query: it would stand in logs, histories and referrers (case
// D7 #65). It is not even looked at.
func refuseURLCredentials(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		query, err := url.ParseQuery(c.Request().URL.RawQuery)
		if err != nil {
			return fail("invalid_request", "the query string cannot be read")
		}
		for name := range query {
			if credentialParams[strings.ToLower(name)] {
				return fail("credential_in_url", fmt.Sprintf(
					"%q in the URL is not accepted, because URLs end up in logs; send the credential in an Authorization header", name))
			}
		}
		return next(c)
	}
}
