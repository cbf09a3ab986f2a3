package compaction

import (
	"strconv"
	"strings"
)

// constraintWords mark a standing instruction (D3.4). A rule that is kept for nothing costs a line; one that is lost
// costs trust, so the list is wide. Besides English it knows the commonest words of some languages.
var constraintWords = []string{
	"always", "never", "only", "do not", "don't", "dont", "must", "mustn't", "should not", "shouldn't", "avoid", "without",
	"make sure", "ensure", "prefer", "no longer", "instead of", "keep", "stop", "forbidden", "not allowed", "required", "no more",
	"nie", "niemals", "immer", "nur", "nicht", "kein", "keine", "keinen", "muss", "darf", // German
	"jamais", "toujours", "seulement", "uniquement", "ne pas", "pas de", "doit", // French
	"nunca", "siempre", "solo", "sólo", "solamente", "sin", "debe", "sempre", "somente", "não", // Spanish, Portuguese
	"никогда", "всегда", "только", "нельзя", "не надо", "обязательно", // Russian
	"不要", "必须", "禁止", "始终", "永远", "只能", "不得", "请勿", "务必", "不能", "别", // Chinese
	"しないで", "必ず", "のみ", "してはいけ", "しないこと", // Japanese
	"하지 마", "반드시", "항상", "금지", // Korean
}

// permissionWords mark an approval or a denial (D3.5).
var permissionWords = []string{
	"you may", "you can go ahead", "go ahead", "you are allowed", "you're allowed", "allowed to", "not allowed", "approved", "i approve",
	"feel free", "permission", "without asking", "ask me before", "ask before", "ask first", "without my approval", "without approval",
	"don't ask", "do not ask", "you have access", "off limits", "off-limits", "hands off",
}

// decisionWords mark a choice of the model (D3.8).
var decisionWords = []string{
	"i'll use", "i will use", "i'll go with", "going with", "let's go with", "decided", "decision", "i chose", "i've chosen", "we'll use",
	"we will use", "opted", "rather than", "instead of", "the best approach", "i'll keep", "agreed", "the plan is", "settled on",
	"root cause", "the fix is", "the problem is", "the issue is", "turns out",
}

// isConstraint accepts statements; a question sets no rule unless it holds the strongest words.
func isConstraint(t string) bool {
	low := strings.ToLower(t)
	if !looksLikeProse(t) {
		return false
	}
	if strings.HasSuffix(low, "?") {
		return hasWord(low, constraintWords[:2])
	}
	return hasWord(low, constraintWords) || strings.HasPrefix(low, "no ") || strings.Contains(low, " and no ") || strings.Contains(low, ", no ")
}

func isPermission(t string) bool {
	return looksLikeProse(t) && !strings.HasSuffix(t, "?") && hasWord(strings.ToLower(t), permissionWords)
}

func isDecision(t string) bool {
	return len(t) <= maxSay && looksLikeProse(t) && !strings.HasSuffix(t, "?") && hasWord(strings.ToLower(t), decisionWords)
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
