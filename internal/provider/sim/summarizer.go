package sim

import "tidemark/internal/provider"

func summarize(c *call) (reply, *provider.Error) { return textReply("summary"), nil }
