package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"syscall"
	"time"

	badger "github.com/dgraph-io/badger/v4"
)

// turn is what the caller asks for, one line each; see ../PROTOCOL.md.
type turn struct {
	ForNs      int64 `json:"for_ns"`
	DiscardNs  int64 `json:"discard_ns"`
	Operations int   `json:"operations"`
}

type turnAnswer struct {
	Operations    int64 `json:"operations"`
	MeasuredNs    int64 `json:"measured_ns"`
	Samples       int   `json:"samples"`
	AllOperations int64 `json:"all_operations"`
	AllNs         int64 `json:"all_ns"`

	Counters map[string]any `json:"counters"` // totals since the store was opened
}

// readTurn gives the next turn, nil at the end, and a refusal for anything else.
func readTurn(input *bufio.Reader) (*turn, error) {
	content, err := input.ReadBytes('\n')
	if err == io.EOF && len(content) == 0 {
		return nil, nil
	}
	if err != nil && err != io.EOF {
		return nil, refuse("the next turn cannot be read: %v", err)
	}
	var line struct {
		Turn *turn `json:"turn"`
		End  *bool `json:"end"`
	}
	if err := strict(content, &line); err != nil {
		return nil, refuse("a turn is wrong: %v", err)
	}
	switch {
	case (line.Turn == nil) == (line.End == nil):
		return nil, refuse("a line holds either a turn or the end")
	case line.End != nil && !*line.End:
		return nil, refuse("end is false: leave it out")
	case line.End != nil:
		return nil, nil
	case line.Turn.ForNs < 1 || line.Turn.DiscardNs < 0 || line.Turn.Operations < 0:
		return nil, refuse("turn.for_ns must be 1 or more, turn.discard_ns and turn.operations 0 or more")
	}
	return line.Turn, nil
}

// inTurns says that the probe is ready and measures until it is told to end.
func (g *gets) inTurns(input *bufio.Reader, output io.Writer, m *measured) (total tally, err error) {
	m.turns = []turnAnswer{}
	if err := say(output, map[string]any{"protocol": protocolVersion, "ready": true}); err != nil {
		return total, err
	}
	for {
		begun := time.Now()
		asked, err := readTurn(input)
		m.seconds["waiting"] += time.Since(begun).Seconds()
		if asked == nil || err != nil {
			return total, err
		}
		begun = time.Now()
		before := len(g.record.service)
		until := limit{asked.Operations, asked.ForNs, asked.DiscardNs}
		made, err := g.run.askAll(g.db, g.sources, until, g.load.ValueBytes, g.record)
		m.seconds["run"] += time.Since(begun).Seconds()
		if err != nil {
			return total, err
		}
		total.add(made)
		answer := turnAnswer{
			made.kept, made.keptNs, len(g.record.service) - before, made.all, made.allNs, getCounters(g.db, total.all),
		}
		m.turns = append(m.turns, answer)
		if err := say(output, map[string]any{"turn": answer}); err != nil {
			return total, err
		}
	}
}

func say(output io.Writer, line map[string]any) error {
	text, err := json.Marshal(line)
	if err == nil {
		_, err = fmt.Fprintln(output, string(text))
	}
	return err
}

const (
	look = 100 * time.Millisecond
	idle = look / 20
)

// rest returns when the store has no compaction before it and the process has taken next to no processor for two looks,
// and gives freed memory back. A compaction that does not begin within two seconds will not begin.
func rest(db *badger.DB) {
	for quiet, used := 0, processorTime(); quiet < 2 || pending(db) && quiet < 20; {
		time.Sleep(look)
		now := processorTime()
		if quiet++; now-used > idle {
			quiet = 0
		}
		used = now
	}
	debug.FreeOSMemory()
}

func pending(db *badger.DB) bool {
	for _, level := range db.Levels() {
		if level.Score >= 1 {
			return true
		}
	}
	return false
}

// processorTime is what this process has taken until now.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
