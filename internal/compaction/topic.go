package compaction

// TopicKind says what a specific was met with.
type TopicKind string

// Kinds of topic, in rising order of how much they say about a specific.
const (
	TopicUser    TopicKind = "user"
	TopicModel   TopicKind = "model"
	TopicTool    TopicKind = "tool"
	TopicCommand TopicKind = "command"
	TopicFile    TopicKind = "file"
)

// Topic is a file, a command, another call or a speaker: what specifics are grouped under, so that they carry context.
type Topic struct {
	Kind TopicKind `json:"k"`
	Name string    `json:"n,omitempty"`
}

// weight orders topics for a specific that was met with several.
func (k TopicKind) weight() int {
	switch k {
	case TopicFile:
		return 5
	case TopicCommand, TopicTool:
		return 3
	case TopicModel:
		return 2
	case TopicUser:
		return 1
	}
	return 0
}
