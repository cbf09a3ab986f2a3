// Package bench measures compaction offline. [Fidelity] asks what survives a mechanical summary: of the specifics that a
// recorded session still needed after they left the view, and of the user's instructions, beside simple baselines.
//
// The measure follows a recorded transcript as it stands, unrepaired, so that its figures can be compared with those of
// other tools over the same files.
package bench
