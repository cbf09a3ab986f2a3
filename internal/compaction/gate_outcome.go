package compaction

import "strings"

// outcome sorts the words that say how something ended.
type outcome uint8

const (
	noOutcome outcome = iota
	goodOutcome
	badOutcome
	openOutcome
)

var outcomeWords = outcomes(map[outcome]string{
	goodOutcome: "ok pass passed passes passing succeeded succeeds success successful successfully green allowed approved granted " +
		"accepted completed done fixed overcome solved resolved bestanden erfolgreich erledigt réussi exitoso",
	badOutcome: "failed fails failing fail failure failures error errors red broken refused denied rejected declined forbidden aborted " +
		"crashed unsolved unresolved fehlgeschlagen gescheitert échoué falló",
	openOutcome: "pending open todo in_progress running interrupted cancelled skipped offen",
})

func outcomes(by map[outcome]string) map[string]outcome {
	out := make(map[string]outcome)
	for o, words := range by {
		for _, w := range strings.Fields(words) {
			out[w] = o
		}
	}
	return out
}

var negationWords = setOf("not no never none neither nor cannot without nicht kein keine keinen keiner nie niemals ohne pas jamais sans " +
	"nunca sin não sem non mai senza niet geen nooit не нет нельзя без")

func setOf(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
