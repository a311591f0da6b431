package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"time"

	badger "github.com/dgraph-io/badger/v4"
)

// getsLoad says what is stored: keys of 8 bytes with values that follow from them.
type getsLoad struct {
	Keys       int64 `json:"keys"`
	ValueBytes int   `json:"value_bytes"`
}

// getsRun says which keys are asked for. Of hot_keys, exponent and trace only the one that the law needs may be set.
type getsRun struct {
	Law      string  `json:"law"` // uniform, zipf, hot_set or trace
	Exponent float64 `json:"exponent"`
	HotKeys  int64   `json:"hot_keys"`
	HotShare float64 `json:"hot_share"`
	Trace    string  `json:"trace"` // a text file with one key number per line
	Warm     int     `json:"warm_operations"`
	Gets     int     `json:"operations"`
	Workers  int     `json:"workers"`
}

func (r getsRun) check(load getsLoad) error {
	if load.Keys < 1 || load.ValueBytes < 16 || load.ValueBytes > 1<<20 {
		return refuse("load.keys must be 1 or more and load.value_bytes between 16 and 1048576")
	}
	if r.Gets < 1 || r.Warm < 0 || r.Workers < 1 {
		return refuse("run.operations and run.workers must be 1 or more, run.warm_operations 0 or more")
	}
	switch r.Law {
	case "uniform":
	case "zipf":
		if !(r.Exponent > 0) || r.Exponent > 100 {
			return refuse("run.exponent is %v: a Zipf law needs one above 0", r.Exponent)
		}
	case "hot_set":
		if r.HotKeys < 1 || r.HotKeys > load.Keys || !(r.HotShare >= 0 && r.HotShare <= 1) {
			return refuse("run.hot_keys must lie between 1 and load.keys, run.hot_share between 0 and 1")
		}
	case "trace":
		if r.Workers != 1 {
			return refuse("a trace is replayed by one worker")
		}
	default:
		return refuse("run.law is %q: use uniform, zipf, hot_set or trace", r.Law)
	}
	return nil
}

// valueOf is the value stored under a key: pseudo-random bytes that follow from the key alone.
func valueOf(key int64, size int) []byte {
	value := make([]byte, 0, size+8)
	state := uint64(key)
	for len(value) < size {
		state = mix(state)
		value = binary.LittleEndian.AppendUint64(value, state)
	}
	return value[:size]
}

func keyOf(number int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(number)) }

func loadKeys(db *badger.DB, load getsLoad) error {
	batch := db.NewWriteBatch()
	defer batch.Cancel()
	for number := range load.Keys {
		if err := batch.Set(keyOf(number), valueOf(number, load.ValueBytes)); err != nil {
			return err
		}
	}
	return batch.Flush()
}

// limit is how long look-ups go on, and which of them are kept; 0 operations or forNs: without a limit.
type limit struct {
	operations       int
	forNs, discardNs int64
}

// share is what one of several workers makes of the operations.
func (l limit) share(worker, workers int) limit {
	operations := l.operations / workers
	if worker < l.operations%workers {
		operations++
	}
	return limit{operations, l.forNs, l.discardNs}
}

// tally counts look-ups and adds up their time; all of them, and those that were kept.
type tally struct{ kept, all, keptNs, allNs int64 }

func (t *tally) add(more tally) {
	t.kept += more.kept
	t.all += more.all
	t.keptNs += more.keptNs
	t.allNs += more.allNs
}

// ask gets keys up to a limit and compares every value with what was written; nil record: none is kept.
func (r getsRun) ask(db *badger.DB, next keys, until limit, size int, record *recorder) (tally, error) {
	var made tally
	var value []byte
	for (until.operations == 0 || made.all < int64(until.operations)) && (until.forNs == 0 || made.allNs < until.forNs) {
		number, more := next()
		if !more {
			break
		}
		name := keyOf(number)
		begun := time.Now()
		err := db.View(func(txn *badger.Txn) error {
			item, err := txn.Get(name)
			if err != nil {
				return err
			}
			value, err = item.ValueCopy(value[:0])
			return err
		})
		ended := time.Now()
		if err != nil {
			return made, err
		}
		took := ended.Sub(begun).Nanoseconds()
		if record != nil && made.allNs >= until.discardNs {
			record.add(begun, begun, ended)
			made.kept++
			made.keptNs += took
		}
		made.all++
		made.allNs += took
		if !bytes.Equal(value, valueOf(number, size)) {
			return made, fmt.Errorf("key %d: %w", number, errWrong)
		}
	}
	return made, nil
}

// askAll lets all workers ask, each its share of the operations and each for the whole time.
func (r getsRun) askAll(db *badger.DB, sources []keys, until limit, size int, record *recorder) (tally, error) {
	var total tally
	made := make([]tally, r.Workers)
	err := (&suite{run: suiteRun{Workers: r.Workers}}).workers(func(worker int) error {
		share := until.share(worker, r.Workers)
		if until.operations > 0 && share.operations == 0 {
			return nil
		}
		var err error
		made[worker], err = r.ask(db, sources[worker], share, size, record)
		return err
	})
	for _, each := range made {
		total.add(each)
	}
	return total, err
}

func prepareGets(asked request) (work, error) {
	var load getsLoad
	var run getsRun
	if err := both(asked, &load, &run); err != nil {
		return nil, err
	}
	if err := run.check(load); err != nil {
		return nil, err
	}
	sources := make([]keys, run.Workers)
	for worker := range sources {
		var err error
		if sources[worker], err = run.draws(load, uint64(asked.Seed), worker); err != nil {
			return nil, err
		}
	}
	return func(db *badger.DB, w *watcher) (measured, error) {
		g := &gets{db: db, watcher: w, load: load, run: run, sources: sources, record: newRecorder("gets", run.Gets)}
		return g.measure(asked)
	}, nil
}

// gets is one measurement: load, warm, run.
type gets struct {
	db      *badger.DB
	watcher *watcher
	load    getsLoad
	run     getsRun
	sources []keys
	record  *recorder
}

// measure loads the keys unless they are there, warms the caches with a part of the draws and measures the next ones, at
// once or in turns.
func (g *gets) measure(asked request) (m measured, err error) {
	m = measured{counters: map[string]any{}, seconds: map[string]float64{}}
	begun := time.Now()
	if !asked.Options.ReadOnly {
		if err := loadKeys(g.db, g.load); err != nil {
			return m, err
		}
	}
	m.seconds["load"] = time.Since(begun).Seconds()
	m.counters["load"] = getCounters(g.db, 0)
	if asked.Turns {
		g.watcher.pause()
		begun = time.Now()
		rest(g.db)
		m.seconds["rest"] = time.Since(begun).Seconds()
	}
	g.watcher.phase.Store("warm")
	begun = time.Now()
	warmed := tally{}
	if g.run.Warm > 0 {
		if warmed, err = g.run.askAll(g.db, g.sources, limit{operations: g.run.Warm}, g.load.ValueBytes, nil); err != nil {
			return m, err
		}
	}
	m.seconds["warm"] = time.Since(begun).Seconds()
	m.counters["warm"] = getCounters(g.db, warmed.all)
	g.watcher.phase.Store("run")
	var made tally
	if asked.Turns {
		made, err = g.inTurns(asked.more, os.Stdout, &m)
	} else {
		begun = time.Now()
		made, err = g.run.askAll(g.db, g.sources, limit{operations: g.run.Gets}, g.load.ValueBytes, g.record)
		m.seconds["run"] = time.Since(begun).Seconds()
	}
	if err != nil {
		return m, err
	}
	m.checked = uint64(warmed.all + made.all)
	counters := getCounters(g.db, warmed.all+made.all)
	counters["measured_ns"], counters["operations"] = made.keptNs, made.kept
	counters["asked"], counters["checked_reads"] = made.all, made.all
	m.counters["run"] = counters
	m.series = g.record.series()
	return m, nil
}

func getCounters(db *badger.DB, gets int64) map[string]any {
	found := caches(db)
	found["memory"] = memory()
	found["gets"] = gets
	found["lsm_bytes"], found["value_log_bytes"] = db.Size()
	return found
}
