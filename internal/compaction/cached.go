package compaction

import "context"

// Cached is the text of a key, if the cache has it: for a candidate that was judged before a restart.
func (s *Summarizer) Cached(ctx context.Context, key string) (Text, bool) {
	return s.Lookup(ctx, Prepared{Key: key})
}
