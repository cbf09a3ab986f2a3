package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"tidemark/internal/auth"
)

// signInPath is where `tidemark signin` asks a running server for a fresh link. It takes a bearer key alone: no browser
// sends one by itself, so no page can ask.
const signInPath = "POST /api/v1/signin"

// SignInURL makes a fresh sign-in link. Its one-use ticket stands in the fragment, which browsers keep to themselves.
func (a *App) SignInURL() (string, error) {
	ticket, err := a.auth.SignInTicket()
	if err != nil {
		return "", err
	}
	base := a.cfg.PublicURL
	if base == "" {
		base = a.url
	}
	return strings.TrimSuffix(base, "/") + "/login#ticket=" + ticket, nil
}

// NobodySignedInYet reports whether this data folder has never seen a sign-in.
func (a *App) NobodySignedInYet(ctx context.Context) (bool, error) {
	ever, err := a.auth.EverSignedIn(ctx)
	return !ever, err
}

// handler is the web surface with the one route that belongs to the command line.
func (a *App) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(signInPath, a.postSignIn)
	mux.Handle("/", a.web.Handler())
	return mux
}

func (a *App) postSignIn(w http.ResponseWriter, r *http.Request) {
	secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	who, err := a.auth.Authenticate(r.Context(), secret)
	switch {
	case errors.Is(err, auth.ErrUnauthenticated):
		problem(w, http.StatusUnauthorized, "auth_required", "send an admin's API key as a bearer token")
	case err != nil:
		problem(w, http.StatusInternalServerError, "internal", "the key could not be looked up")
	case !who.Can(auth.CapKeys):
		problem(w, http.StatusForbidden, "forbidden", "a sign-in link is for admins to give")
	default:
		a.answerSignIn(w)
	}
}

func (a *App) answerSignIn(w http.ResponseWriter) {
	link, err := a.SignInURL()
	if err != nil {
		problem(w, http.StatusServiceUnavailable, "rate_limited", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]string{"url": link}) // a client that left needs no answer
}

// problem answers like the web surface does.
func problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "title": http.StatusText(status), "code": code, "detail": detail})
}
