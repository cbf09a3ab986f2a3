package compaction

import (
	"slices"
	"strings"
)

// readOutcome decides whether a result reports a failure and returns its text without the wrapper that some agents put
// around the output of a command.
func readOutcome(text string, isError, shell bool) (failed bool, body string) {
	body = unwrapOutput(text)
	failed = isError || startsWithError(body)
	if code, ok := exitCode(text); ok && shell {
		failed = code != 0
	}
	return failed, body
}

func startsWithError(s string) bool {
	s = strings.TrimSpace(s[:min(len(s), 200)])
	for _, p := range [...]string{"<tool_use_error>", "Error:", "ERROR:", "error:", "Error ", "Traceback (most recent call last)"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// unwrapOutput drops header lines such as `Exit code 1`, `Wall time: …` up to `Output:`.
func unwrapOutput(s string) string {
	head := s[:min(len(s), 400)]
	i := strings.Index(head, "\nOutput:")
	if i >= 0 && (strings.Contains(head[:i], "code") || strings.HasPrefix(head, "Command:")) {
		return runningSession(head[:i]) + strings.TrimLeft(s[i+len("\nOutput:"):], " \n")
	}
	if strings.HasPrefix(head, "Exit code ") {
		if _, rest, ok := strings.Cut(s, "\n"); ok {
			return rest
		}
	}
	s = strings.TrimPrefix(s, "<tool_use_error>")
	return strings.TrimSuffix(s, "</tool_use_error>")
}

// runningSession keeps the line by which a command that goes on names its session.
func runningSession(head string) string {
	for line := range strings.SplitSeq(head, "\n") {
		if strings.Contains(line, "session ID") {
			return line + "\n"
		}
	}
	return ""
}

// exitPhrases come right in front of an exit code.
var exitPhrases = []string{"exit code ", "exit code: ", "exited with code ", "exit_code\":", "exit_code\": ", "exit status ", "exitcode: "}

// exitCode looks for a process's exit code in the first and the last bytes of a result.
func exitCode(s string) (int, bool) {
	for _, part := range [...]string{s[:min(len(s), 300)], s[max(0, len(s)-200):]} {
		low := strings.ToLower(part)
		for _, p := range exitPhrases {
			i := strings.Index(low, p)
			if i < 0 {
				continue
			}
			j := i + len(p)
			if e := runEnd(low, j, isDigit); e > j && e-j < 4 {
				code := 0
				for _, d := range low[j:e] {
					code = code*10 + int(d-'0')
				}
				return code, true
			}
		}
	}
	return 0, false
}

// strongErrors and weakErrors mark the line that says what went wrong.
var (
	strongErrors = []string{"error", "fatal", "panic", "exception", "--- fail", "fail:", "undefined", "assert"}
	weakErrors   = []string{"fail", "not found", "no such", "cannot", "can't", "could not", "denied", "refused", "invalid", "unexpected", "unable", "does not exist"}
)

// errorLine is the first line that says what went wrong, else the first line that says anything.
func errorLine(body string) string {
	lines := strings.SplitN(body, "\n", 200)
	for _, words := range [][]string{strongErrors, weakErrors} {
		for _, l := range lines {
			if isErrorLine(l, words) {
				return oneLine(plainLine(l), maxErrorLine)
			}
		}
	}
	for _, l := range lines {
		if l = plainLine(l); l != "" {
			return oneLine(l, maxErrorLine)
		}
	}
	return "no output"
}

func isErrorLine(l string, words []string) bool {
	if len(l) > 2000 {
		l = l[:2000]
	}
	low := strings.ToLower(l)
	if strings.Contains(low, "0 error") || strings.Contains(low, "no error") || strings.HasPrefix(low, "traceback") {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
}

// plainLine drops terminal colors and outer blanks.
func plainLine(l string) string {
	if strings.IndexByte(l, '\x1b') >= 0 {
		l = dropANSI(l)
	}
	return strings.TrimSpace(l)
}

func dropANSI(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\x1b' {
			sb.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '[' {
			i = runEnd(s, i+2, func(b byte) bool { return isDigit(b) || b == ';' || b == '?' })
		}
	}
	return sb.String()
}

// countWords stand in the line by which a test, a build or a linter sums up.
var countWords = []string{"pass", "fail", "ok", "error", "warning", "issue", "problem", "test", "success", "finished", "built"}

// checkLine is the newest line of a check that sums it up, from the end.
func checkLine(body string) string {
	lines := strings.Split(strings.TrimRight(body, "\n "), "\n")
	best := ""
	for n := 0; n < 30 && n < len(lines); n++ {
		l := plainLine(lines[len(lines)-1-n])
		low := strings.ToLower(l[:min(len(l), 300)])
		if !slices.ContainsFunc(countWords, func(w string) bool { return strings.Contains(low, w) }) {
			continue
		}
		if hasDigit(low) {
			return oneLine(l, maxResult)
		}
		if best == "" {
			best = oneLine(l, maxResult)
		}
	}
	return best
}
