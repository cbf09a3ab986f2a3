#!/bin/sh
# Shows a session being compacted, start to end, offline: a server on a free port with a folder of its own, and the
# built-in sample session played into it. At a terminal the server stays up afterwards, to be looked at.
#
#   SPEED=4          turns are played at this multiple of a person's pace; 0 plays without pauses
#   TIDEMARK=...     the binary (default: bin/tidemark)
set -eu

bin=${TIDEMARK:-bin/tidemark}
speed=${SPEED:-4}
folder=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-demo.XXXXXX")
data=$folder/data
log=$folder/serve.log
server=

stop() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

"$bin" serve --addr 127.0.0.1:0 --data "$data" >"$log" 2>&1 &
server=$!

# The sign-in line is the last of the greeting.
until grep -q '^Sign in' "$log"; do
	kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
	sleep 0.1
done
cat "$log"

printf '\nPlaying the sample session. Watch it live under "operators".\n'
"$bin" replay --sample --speed "$speed" --data "$data"

printf '\nThe session now:\n'
id=$("$bin" session list --json --data "$data" | sed -n 's/^ *"id": "\([^"]*\)",*$/\1/p' | head -n 1)
"$bin" session status --data "$data" "$id"

if [ -t 1 ]; then
	printf '\nThe server stays up; Ctrl-C ends it and removes its folder. A fresh sign-in link:\n'
	"$bin" signin --data "$data"
	wait "$server"
fi
