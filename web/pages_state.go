package web

// pageState is what the pages keep beside the committed facts.
type pageState struct {
	markdown  *markdown
	sample    samplePlayer
	overviews overviews
}
