// Badger under the workloads of a cache-tuning note: one JSON request on standard input, see ../PROTOCOL.md.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
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

// workloads answer a request: what is told beside what every probe tells, and the samples. An error in the request is a
// refusal, made before anything was opened.
var workloads = map[string]func(request) (map[string]any, []series, error){
	"gets": onBadger(prepareGets), "suite": onBadger(prepareSuite),
}

func main() { os.Exit(run()) }

func run() int {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(versions())
		return 0
	}
	if len(os.Args) > 1 {
		return complain(refuse("the request comes on standard input; the one argument is --version"))
	}
	asked, err := readRequest(os.Stdin)
	if err != nil {
		return complain(err)
	}
	measure, known := workloads[asked.Workload]
	if !known {
		names := slices.Sorted(maps.Keys(workloads))
		return complain(refuse("workload is %q: use %s", asked.Workload, strings.Join(names, " or ")))
	}
	endOnSignal(asked.Samples)
	answer, samples, err := measure(asked)
	if err != nil {
		return complain(err)
	}
	if err := writeSamples(asked.Samples, samples); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return noSpace
	}
	answer["protocol"], answer["series"], answer["timer_ns"] = protocolVersion, samples, timerCost()
	line, err := json.Marshal(answer)
	if err != nil {
		return complain(err)
	}
	fmt.Println(string(line))
	return 0
}

// onBadger opens a Badger with the request's options for a workload.
func onBadger(prepare func(request) (work, error)) func(request) (map[string]any, []series, error) {
	return func(asked request) (map[string]any, []series, error) {
		measure, err := prepare(asked)
		if err != nil {
			return nil, nil, err
		}
		chosen, err := badgerOptions(asked.Folder, asked.Options)
		if err != nil {
			return nil, nil, err
		}
		db, err := badger.Open(chosen)
		if err != nil {
			return nil, nil, err
		}
		w := watch(db)
		found, err := measure(db, w)
		timeline := w.end()
		final := map[string]any{"caches": caches(db), "memory": memory()}
		if closing := db.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return nil, nil, err
		}
		found.counters["end"] = final
		answer := map[string]any{
			"probe": "badger", "engine": "Badger", "engine_version": engineVersion(), "settings": settings(chosen),
			"seconds": found.seconds, "counters": found.counters, "timeline": timeline, "memory": final["memory"],
			"checked_reads": found.checked,
		}
		if asked.Turns {
			answer["turns"] = found.turns
		}
		return answer, found.series, nil
	}
}

// complain says what is wrong; the code tells an error in the request from one of the engine.
func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	if wrong := (refusal{}); errors.As(err, &wrong) {
		return refused
	}
	return failed
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
