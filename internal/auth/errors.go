package auth

import (
	"errors"
	"fmt"
)

// Sentinels to decide on.
var (
	// ErrUnauthenticated is the answer to every credential that does not hold.
	ErrUnauthenticated = errors.New("the credential is not valid here")
	// ErrNotFound is what a KeyStore answers for a key or login it does not have.
	ErrNotFound = errors.New("no such key")
	// ErrTooManyTickets refuses a ticket while too many unspent ones wait.
	ErrTooManyTickets = errors.New("too many unused tickets; wait for them to expire")
)

// ParamError says which field of a new key is wrong and what is allowed.
type ParamError struct {
	Param, Value, Allowed string
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("%s: %q is not allowed; %s", e.Param, e.Value, e.Allowed)
}
