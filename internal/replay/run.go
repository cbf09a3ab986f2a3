package replay

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tidemark/internal/message"
	"tidemark/internal/transcript"
)

// Run plays the files, a session each, and checks their books. It fails when nothing could be started: a bad setting, a
// file that cannot be read. What goes wrong with one file later stands in its report.
func Run(ctx context.Context, cfg Config, files []string) (Report, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Report{}, err
	}
	if len(files) == 0 {
		return Report{}, errors.New("no files to replay")
	}
	recs := make([]recording, len(files))
	for i, file := range files {
		if recs[i], err = read(file); err != nil {
			return Report{}, err
		}
	}
	r := &run{cfg: cfg, recs: recs, report: Report{Server: cfg.URL, Model: cfg.Model, Files: make([]File, len(files))}}
	r.all(ctx)
	r.report.sum()
	return r.report, ctx.Err()
}

// read takes a transcript, repaired.
func read(file string) (recording, error) {
	rec, err := transcript.ReadFile(file)
	if err != nil {
		return recording{}, err
	}
	rows, notes := message.Repair(rec.Messages)
	out := newRecording(filepath.Base(file), rec.System, rec.Tools, rows)
	out.repairs = len(notes)
	return out, nil
}

// run is one call of Run.
type run struct {
	cfg    Config
	recs   []recording
	report Report

	mu   sync.Mutex
	done Progress
}

func (r *run) all(ctx context.Context) {
	r.done.Files = len(r.recs)
	for i := range r.recs {
		r.done.Turns += len(r.recs[i].turns)
	}
	var g errgroup.Group
	g.SetLimit(r.cfg.Parallel)
	for i := range r.recs {
		g.Go(func() error {
			r.report.Files[i] = r.one(ctx, r.recs[i])
			r.progress(r.recs[i].file, func(p *Progress) { p.FilesDone++ })
			return nil
		})
	}
	_ = g.Wait() // what went wrong stands in the files
}

// one plays a file and looks at its books.
func (r *run) one(ctx context.Context, rec recording) File {
	f := File{File: rec.file, Repairs: rec.repairs, Violations: []string{}}
	begun := time.Now()
	d := &driver{cfg: r.cfg, rec: rec}
	err := d.play(ctx, func() { r.progress(rec.file, func(p *Progress) { p.TurnsDone++ }) })
	f.SessionID, f.Violations, f.Seconds = d.sessionID, append(f.Violations, d.violations...), time.Since(begun).Seconds()
	if d.sessionID != "" {
		b, bookErr := fetch(ctx, r.cfg, d.sessionID)
		if bookErr == nil {
			f.fill(b)
		}
		if bookErr == nil && err == nil {
			f.Violations = append(f.Violations, check(b, rec, r.cfg.Model)...)
		}
		err = errors.Join(err, bookErr)
	}
	if err != nil {
		f.Error = err.Error()
	}
	return f
}

func (r *run) progress(file string, step func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	step(&r.done)
	r.done.File = file
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.done)
	}
}
