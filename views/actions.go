package views

// idleOnly says why a button that needs an idle session cannot be used, or what it does.
func idleOnly(a Actions, does string) string {
	switch {
	case a.Closed:
		return "The session is closed"
	case a.Running:
		return "A turn is running; stop it or wait"
	}
	return does
}

func undoTitle(a Actions) string {
	if !a.CanUndo && !a.Running {
		return "There is no compaction to undo"
	}
	return idleOnly(Actions{Running: a.Running}, "Take back the newest compaction")
}

func stopTitle(a Actions) string {
	if !a.Running {
		return "No turn is running"
	}
	return "Stop the running turn"
}
