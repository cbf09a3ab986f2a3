package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultModel plays the recorded answers.
const DefaultModel = "sim:replay"

// turnPause is how long a person reads before the next turn, at speed 1. Recordings carry no times.
const turnPause = 2 * time.Second

// Config says where and how to replay. URL is required.
type Config struct {
	URL      string          // of the server, http or https
	Key      string          // API key
	Model    string          // "" = sim:replay
	Window   int             // a smaller window for sim:replay; 0 = the model's
	Speed    float64         // 1 = a person's pace, 10 = ten times faster, 0 = no pauses
	Parallel int             // files at a time; 0 = 1
	Settings json.RawMessage // compaction knobs of the sessions; nil = the server's
	Progress func(Progress)  // told after each turn; nil = nobody

	client *http.Client
	drop   func(frame int) bool // tests: cut the socket after that many frames of it
}

// Progress is how far a run has come.
type Progress struct {
	Files, FilesDone int
	Turns, TurnsDone int
	File             string // the one that moved
}

func (c Config) withDefaults() (Config, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return c, fmt.Errorf("server %q: give its URL, such as http://127.0.0.1:8080", c.URL)
	}
	c.URL = strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/")
	switch {
	case c.Speed < 0:
		return c, fmt.Errorf("speed %v: allowed: 0 for no pauses, or more", c.Speed)
	case c.Window < 0:
		return c, fmt.Errorf("window %d: allowed: 0 for the model's own, or more", c.Window)
	case c.Parallel < 0:
		return c, fmt.Errorf("parallel %d: allowed: 1 or more", c.Parallel)
	}
	if c.Model == "" {
		c.Model = DefaultModel
	}
	if c.Window > 0 && c.Model != DefaultModel {
		return c, errors.New("window: only sim:replay can be given another window")
	}
	c.Parallel = max(c.Parallel, 1)
	if c.client == nil {
		c.client = &http.Client{Timeout: time.Minute}
	}
	return c, nil
}

// pause is how long to wait between turns.
func (c Config) pause() time.Duration {
	if c.Speed == 0 {
		return 0
	}
	return time.Duration(float64(turnPause) / c.Speed)
}
