package sim

import "strings"

// sentences are what the assistant has to say when it is told to say much.
var sentences = []string{
	"The watermark is the place before which everything is covered by a summary, and it only moves forward.",
	"Each model call writes one row to the ledger, so the sum of calls is the sum of turns and of days.",
	"A tool call and its result belong together; no cut ever runs between them.",
	"The stable prefix stays the same to the byte, which is what keeps the provider's cache warm.",
	"Before a turn begins, the server counts what is pending and decides whether the older part should be compacted.",
	"A mechanical summary is there at once; one that a model wrote must first show that it kept the facts.",
	"If the connection drops, the client names the last number it saw and gets what came after it.",
	"Costs are exact decimals from the first call to the monthly sum, and nothing is rounded on the way.",
	"When the budget for compaction is spent, the history is still kept within bounds, only without a model.",
	"Undo takes back the newest pass and gives the earlier view to the byte.",
	"The newest turns are never covered, so what you said a minute ago is always there word for word.",
	"A summary that would be longer than what it replaces is not worth its price and is turned away.",
}

// prose is readable text of exactly n tokens by the fallback of spec 4.2. It has only single-byte characters, so it may
// be cut anywhere.
func prose(n int) string {
	size := 3 * n
	var sb strings.Builder
	sb.Grow(size + 160)
	for i := 0; sb.Len() < size; i++ {
		sb.WriteString(sentences[i%len(sentences)])
		if i%5 == 4 {
			sb.WriteString("\n\n")
		} else {
			sb.WriteByte(' ')
		}
	}
	text := strings.TrimRight(sb.String()[:size-1], " \n.")
	return text + strings.Repeat(".", size-len(text))
}
