package app

import (
	"context"
	"errors"
	"net"
)

// Close stops everything, in the order in which nothing is lost: no new work, no more listeners of what happens, turns
// ended and stored, then the store. It waits at most until ctx ends for each and is safe to call twice.
func (a *App) Close(ctx context.Context) error {
	a.close.Do(func() { a.err = a.shutdown(ctx) })
	return a.err
}

func (a *App) shutdown(ctx context.Context) error {
	return errors.Join(
		a.refuseNewWork(),
		a.endSubscriptions(ctx),
		a.endRequests(ctx),
		a.endTurns(ctx),
		a.endGoroutines(),
		a.closeStore(),
	)
}

// refuseNewWork stops accepting connections.
func (a *App) refuseNewWork() error {
	if a.listener == nil {
		return nil
	}
	if err := a.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// endSubscriptions ends sockets and event streams; HTTP's own shutdown would wait for the streams for ever.
func (a *App) endSubscriptions(ctx context.Context) error {
	if a.web == nil {
		return nil
	}
	err := a.web.Close(ctx)
	a.bus.Close()
	return err
}

// endRequests waits for the answers under way, then cuts them off.
func (a *App) endRequests(ctx context.Context) error {
	if a.http == nil || a.listener == nil {
		return nil
	}
	// The listener is closed already; whether the server has noticed that is a matter of luck.
	if err := a.http.Shutdown(ctx); err != nil && !errors.Is(err, net.ErrClosed) {
		return errors.Join(err, a.http.Close())
	}
	return nil
}

// endTurns cancels what runs and waits until the end of each turn is stored.
func (a *App) endTurns(ctx context.Context) error {
	if a.manager == nil {
		return nil
	}
	return a.manager.Shutdown(ctx)
}

func (a *App) endGoroutines() error {
	a.stop()
	a.wg.Wait()
	return nil
}

func (a *App) closeStore() error {
	var errs []error
	if a.cache != nil {
		errs = append(errs, a.cache.Close())
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	if a.folder != nil {
		errs = append(errs, a.folder.close())
	}
	return errors.Join(errs...)
}
