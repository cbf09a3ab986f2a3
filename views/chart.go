package views

// Chart is the drawing of tokens in context per model call with the same numbers as a table. X and widths are SVG
// percentages, so that the drawing fits any width and its text keeps its size; Y and heights are pixels.
type Chart struct {
	Height  int
	Bars    []Bar
	Levels  []Level
	Marks   []Mark
	Ticks   []Tick
	First   string // label below the first bar
	Last    string
	Caption string
	Rows    []ChartRow
	More    string // said when bars stand for several calls, or rows were left out
}

// Bar is one call: its prompt, split as it was billed.
type Bar struct {
	X, W  string
	Parts []Part
	Title string
}

// Part is one piece of a bar.
type Part struct {
	Class string // read, write, fresh
	Y, H  string
}

// Level is a horizontal line with a word.
type Level struct {
	Y, TextY string
	Tone     string
	Text     string
}

// Mark is one compaction: a drop between two calls.
type Mark struct {
	X          string
	Top, Floor string
	Text       string
	TextX      string
	TextY      string
	Anchor     string // text-anchor
	Title      string
}

// Tick is a grid line with its number.
type Tick struct {
	Y    string
	Text string
}

// ChartRow is a bar, or a compaction between two, as a row.
type ChartRow struct {
	Call    string
	Total   string
	Read    string
	Write   string
	Fresh   string
	Compact string // set on a row that is a compaction
}

// WatermarkHistory is the step line of the watermark over turns and the same as a table.
type WatermarkHistory struct {
	Height int
	Steps  []Line // of the watermark
	Grown  []Line // messages, the other line
	Fill   []Box  // covered part
	Ticks  []Tick
	First  string
	Last   string
	Rows   []WatermarkRow
	None   string // said when the watermark never moved
}

// Line is a segment; X in percent, Y in pixels.
type Line struct{ X1, Y1, X2, Y2 string }

// Box is a rectangle; X and W in percent, Y and H in pixels.
type Box struct{ X, Y, W, H string }

// WatermarkRow is one move of the watermark.
type WatermarkRow struct {
	At      Moment
	Moved   string // before → after
	Trigger string
	How     string // hit or call
	Cost    string
	Undone  bool
}
