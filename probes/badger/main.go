// Badger under the workloads of a cache-tuning note: one JSON request on standard input, see ../PROTOCOL.md.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	badger "github.com/dgraph-io/badger/v4"
)

// Exit codes. 2 is what Go itself ends with when a program crashes.
const (
	failed  = 1
	noSpace = 3
	refused = 4
)

// measured is what a workload gives back.
type measured struct {
	series   []series
	counters map[string]any
	seconds  map[string]float64
	checked  uint64
	turns    []turnAnswer
}

// work is a workload whose request was found good.
type work func(*badger.DB, *watcher) (measured, error)

var workloads = map[string]func(request) (work, error){"gets": prepareGets, "suite": prepareSuite}

func main() { os.Exit(run()) }

func run() int {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(engineVersion())
		return 0
	}
	if len(os.Args) > 1 {
		return complain(refuse("the request comes on standard input; the one argument is --version"), refused)
	}
	asked, err := readRequest(os.Stdin)
	if err != nil {
		return complain(err, refused)
	}
	prepare, known := workloads[asked.Workload]
	if !known {
		return complain(refuse("workload is %q: use gets or suite", asked.Workload), refused)
	}
	measure, err := prepare(asked)
	if err != nil {
		return complain(err, refused)
	}
	chosen, err := badgerOptions(asked.Folder, asked.Options)
	if err != nil {
		return complain(err, refused)
	}
	endOnSignal(asked.Samples)
	db, err := badger.Open(chosen)
	if err != nil {
		return complain(err, failed)
	}
	w := watch(db)
	found, err := measure(db, w)
	timeline := w.end()
	final := map[string]any{"caches": caches(db), "memory": memory()}
	if closing := db.Close(); err == nil {
		err = closing
	}
	if wrong := (refusal{}); errors.As(err, &wrong) {
		return complain(err, refused)
	}
	if err != nil {
		return complain(err, failed)
	}
	if err := writeSamples(asked.Samples, found.series); err != nil {
		return complain(err, noSpace)
	}
	found.counters["end"] = final
	answer := map[string]any{
		"protocol": protocolVersion, "probe": "badger", "engine": "Badger", "engine_version": engineVersion(),
		"settings": settings(chosen), "series": found.series, "seconds": found.seconds, "counters": found.counters,
		"timeline": timeline, "memory": final["memory"], "checked_reads": found.checked, "timer_ns": timerCost(),
	}
	if asked.Turns {
		answer["turns"] = found.turns
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return complain(err, failed)
	}
	fmt.Println(string(line))
	return 0
}

func complain(err error, code int) int {
	fmt.Fprintln(os.Stderr, err)
	return code
}

// endOnSignal removes a half-written file of samples when the caller ends the probe.
func endOnSignal(samples string) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-told
		os.Remove(filepath.Join(filepath.Dir(samples), "."+filepath.Base(samples)+".tmp"))
		os.Exit(failed)
	}()
}
