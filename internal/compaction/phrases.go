package compaction

import (
	"strconv"
	"strings"
)

// strongRules mark a standing instruction wherever they stand (D3.4). A rule kept for nothing costs a line; one that is
// lost costs trust, so the list is wide. Besides English it knows the commonest words of some languages.
var strongRules = []string{
	"always", "never", "do not", "dont", "must", "mustn't", "should not", "shouldn't", "avoid", "make sure", "ensure", "forbidden",
	"not allowed", "no more",
	"nie", "niemals", "immer", "nicht", "kein", "keine", "keinen", "muss", // German
	"jamais", "toujours", "uniquement", "ne pas", "pas de", "doit", // French
	"nunca", "siempre", "solamente", "debe", "sempre", "somente", "não", // Spanish, Portuguese
	"никогда", "всегда", "только", "нельзя", "не надо", "обязательно", // Russian
	"不要", "必须", "禁止", "始终", "永远", "只能", "不得", "请勿", "务必", "不能", "别", // Chinese
	"しないで", "必ず", "のみ", "してはいけ", "しないこと", // Japanese
	"하지 마", "반드시", "항상", "금지", // Korean
}

// wordyRules mark one in what a user writes; in long documents they are too common and count near the start only.
var wordyRules = []string{"only", "don't", "without", "nur", "seulement", "solo", "sólo", "sin", "darf"}

// openingRules mark one near the start of a sentence only.
var openingRules = []string{"keep", "stop", "prefer", "instead of", "no longer", "required"}

// permissionWords mark an approval or a denial (D3.5).
var permissionWords = []string{
	"go ahead", "you are allowed", "you're allowed", "allowed to", "i approve", "is approved", "are approved",
	"not approved", "feel free to", "permission to", "your permission", "my permission", "without permission", "without asking",
	"ask me before", "ask me first", "ask before", "without my approval", "without approval", "don't ask", "do not ask", "you have access",
	"off limits", "off-limits", "hands off", "you may run", "you may use", "you may edit", "you may change", "you may commit", "you may push",
	"you may delete", "you may install", "you may merge", "you may create", "you may proceed", "you may not", "you can push",
	"you can commit", "you can merge", "you can delete",
}

// decisionWords mark a choice or a finding of the model (D3.8).
var decisionWords = []string{
	"i'll use", "i will use", "i'll go with", "going with", "let's go with", "decided to", "decided on", "decision:", "i chose", "i've chosen", "we'll use",
	"we will use", "opted", "the best approach", "agreed", "the plan is", "settled on", "root cause", "the fix is",
	"the problem is", "the issue is", "turns out",
}

// openingBytes is how far the start of a sentence reaches.
const openingBytes = 24

// isConstraint accepts statements; a question sets no rule unless it holds the strongest words. In a document the rules
// are told by their form more strictly.
func isConstraint(t string, document bool) bool {
	if !looksLikeProse(t) {
		return false
	}
	low := strings.ToLower(strings.ReplaceAll(t, "’", "'"))
	if strings.HasSuffix(low, "?") {
		return hasWord(low, strongRules[:2])
	}
	head := low[:min(len(low), openingBytes)]
	if document {
		return hasWord(low, strongRules) || hasWord(head, wordyRules)
	}
	return hasWord(low, strongRules) || hasWord(low, wordyRules) || hasWord(head, openingRules) ||
		strings.HasPrefix(low, "no ") || strings.Contains(low, " and no ") || strings.Contains(low, ", no ")
}

func isPermission(t string) bool {
	return looksLikeProse(t) && !strings.HasSuffix(t, "?") && hasWord(strings.ToLower(strings.ReplaceAll(t, "’", "'")), permissionWords)
}

func isDecision(t string) bool {
	return len(t) >= minSay && len(t) <= maxSay && looksLikeProse(t) && !strings.HasSuffix(t, "?") &&
		hasWord(strings.ToLower(strings.ReplaceAll(t, "’", "'")), decisionWords)
}

// looksLikeProse keeps lines of code, markup and tables out of the ledgers.
func looksLikeProse(t string) bool {
	if t[0] == '<' || t[0] == '|' || t[0] == '{' || t[0] == '/' {
		return false
	}
	odd := 0
	for i := 0; i < len(t); i++ {
		if strings.IndexByte("{}<>=;|$\\[]", t[i]) >= 0 {
			odd++
		}
	}
	return odd*12 <= len(t)
}

func itoa(n int) string { return strconv.Itoa(n) }
