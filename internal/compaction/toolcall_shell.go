package compaction

import "strings"

// maxCommand bounds a command line as it is kept.
const maxCommand = 140

// shell reads a command line. A command that only shows a file counts as reading it, so that a session that reads
// through `sed -n` and `cat` looks like one that has a tool for it.
func (c *toolCall) shell(command string) {
	command = unwrapShell(command)
	c.kind = callShell
	c.target = commandLine(command)
	c.check = isCheck(command)
	parts := segments(command)
	if len(parts) == 1 {
		words := strings.Fields(parts[0])
		if f := shownFile(words); f != "" {
			c.kind, c.target = callRead, f
			c.addFile(f)
		} else if f := writtenFile(words); f != "" {
			c.kind, c.target = callWrite, f
			c.addFile(f)
		}
	}
}

// unwrapShell drops `bash -lc`, and the change of folder in front, which is the same for most commands of a session.
func unwrapShell(s string) string {
	s = strings.TrimSpace(s)
	for _, sh := range [...]string{"bash -lc ", "bash -c ", "sh -c ", "/bin/bash -lc ", "zsh -lc "} {
		if rest, ok := strings.CutPrefix(s, sh); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	if strings.HasPrefix(s, "cd ") {
		if _, rest, ok := strings.Cut(s, "&&"); ok && !strings.Contains(s[:len(s)-len(rest)], "\n") {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// commandLine is the first line of a command, marked when more follows.
func commandLine(s string) string {
	line, rest, more := strings.Cut(s, "\n")
	line = oneLine(line, maxCommand)
	if more && strings.TrimSpace(rest) != "" && !strings.HasSuffix(line, "…") {
		line += " …"
	}
	return line
}

// segments cuts a command at the separators that stand outside of quotes. What follows a here-document's first line is
// its text.
func segments(s string) []string {
	if i := strings.Index(s, "<<"); i >= 0 {
		if e := strings.IndexByte(s[i:], '\n'); e >= 0 {
			s = s[:i+e]
		}
	}
	var out []string
	from, quote := 0, byte(0)
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || quote == 0 && strings.IndexByte("\n;|&", s[i]) >= 0:
			if p := strings.TrimSpace(s[from:i]); p != "" {
				out = append(out, p)
			}
			from = i + 1
		case s[i] == '\\':
			i++
		case quote != 0 && s[i] == quote:
			quote = 0
		case quote == 0 && (s[i] == '\'' || s[i] == '"'):
			quote = s[i]
		}
	}
	return out
}

// shownFile is the file that a command like `sed -n 1,80p FILE` shows, or "".
func shownFile(words []string) string {
	if len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "cat", "head", "tail", "nl", "less", "bat":
	case "sed":
		if words[1] != "-n" {
			return ""
		}
	default:
		return ""
	}
	if strings.ContainsAny(strings.Join(words, ""), "<>") {
		return ""
	}
	return plainPath(words[len(words)-1])
}

// writtenFile is the file that `cat > FILE <<EOF` writes, or "".
func writtenFile(words []string) string {
	if words[0] != "cat" && words[0] != "tee" {
		return ""
	}
	for i, w := range words[1:] {
		switch {
		case (w == ">" || w == ">>") && i+2 < len(words):
			return plainPath(words[i+2])
		case len(w) > 1 && w[0] == '>':
			return plainPath(strings.TrimLeft(w, ">"))
		}
	}
	return ""
}

// plainPath is the word when it can only be a path.
func plainPath(w string) string {
	w = strings.Trim(w, `"'`)
	if strings.ContainsAny(w, "<>*$(){}=") || strings.HasPrefix(w, "-") || !strings.ContainsAny(w, "./") || len(w) < 3 {
		return ""
	}
	return w
}
