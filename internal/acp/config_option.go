package acp

import "encoding/json"

// The two configuration options of a session (protocol section 1).
const (
	OptionModel          = "model"
	OptionCompactionMode = "compaction_mode"

	categoryModel = "model"
	categoryOwn   = "_tidemark"
	typeSelect    = "select"
)

// ConfigOption is one choice a client may change between turns. We have selects only.
type ConfigOption struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Description  string         `json:"description,omitempty"`
	Category     string         `json:"category,omitempty"`
	Type         string         `json:"type"`
	CurrentValue string         `json:"currentValue"`
	Options      []ConfigChoice `json:"options"`
}

// ConfigChoice is one value of a select.
type ConfigChoice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ModelOption is the session's model among those that may be chosen. The current one is always among the choices, also
// when the server no longer offers it.
func ModelOption(current string, models []string) ConfigOption {
	o := ConfigOption{
		ID: OptionModel, Name: "Model", Category: categoryModel, Type: typeSelect, CurrentValue: current,
		Options: make([]ConfigChoice, 0, len(models)+1),
	}
	known := false
	for _, m := range models {
		known = known || m == current
		o.Options = append(o.Options, ConfigChoice{Value: m, Name: m})
	}
	if !known {
		o.Options = append(o.Options, ConfigChoice{Value: current, Name: current})
	}
	return o
}

// CompactionModeOption is how the session makes its summaries (spec 4.1).
func CompactionModeOption(current string) ConfigOption {
	return ConfigOption{
		ID: OptionCompactionMode, Name: "Compaction", Category: categoryOwn, Type: typeSelect, CurrentValue: current,
		Description: "How older history is summarized",
		Options: []ConfigChoice{
			{Value: "two_phase", Name: "Two-phase", Description: "Mechanical at once; a model's text must earn its place"},
			{Value: "semantic", Name: "Semantic", Description: "A model writes each summary"},
			{Value: "mechanical", Name: "Mechanical", Description: "No model call"},
		},
	}
}

// SetConfigOptionRequest changes one option; Value is a string for a select.
type SetConfigOptionRequest struct {
	SessionID string          `json:"sessionId"`
	ConfigID  string          `json:"configId"`
	Type      string          `json:"type,omitempty"`
	Value     json.RawMessage `json:"value"`
	Meta      Meta            `json:"_meta,omitempty"`
}

// SetConfigOptionResponse is the full list of options.
type SetConfigOptionResponse struct {
	ConfigOptions []ConfigOption `json:"configOptions"`
	Meta          Meta           `json:"_meta,omitempty"`
}
