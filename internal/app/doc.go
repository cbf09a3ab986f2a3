// Package app builds the server, starts it and stops it in order. The program is a value: tests open it like main does,
// on port 0 with the simulated provider.
//
// One data folder belongs to one App at a time; a lock in the folder says so. App is the only place where packages are
// wired together and the only one that copies settings into their Configs (settings.go).
package app
