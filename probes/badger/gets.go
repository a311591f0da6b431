package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
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

// keys gives the key numbers of one worker.
type keys func() (int64, bool)

func (r getsRun) draws(load getsLoad, seed uint64, worker int) (keys, error) {
	random := rand.New(rand.NewPCG(seed, uint64(worker)))
	scattered := newScatter(load.Keys, seed)
	var law draw
	switch r.Law {
	case "uniform":
		law = uniform{load.Keys}
	case "zipf":
		law = newZipf(load.Keys, r.Exponent)
	case "hot_set":
		law = hotSet{load.Keys, r.HotKeys, r.HotShare}
	case "trace":
		return traced(r.Trace, load.Keys)
	}
	return func() (int64, bool) { return scattered.key(law.next(random)), true }, nil
}

func traced(path string, n int64) (keys, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, refuse("the trace cannot be read: %v", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	numbers := []int64{}
	for lines.Scan() {
		number, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil || number < 0 || number >= n {
			return nil, refuse("line %d of the trace is no key number below %d", len(numbers)+1, n)
		}
		numbers = append(numbers, number)
	}
	place := 0
	return func() (int64, bool) {
		if place == len(numbers) {
			return 0, false
		}
		place++
		return numbers[place-1], true
	}, nil
}

// ask gets operations keys and compares every value with what was written; nil record: warming up.
func (r getsRun) ask(db *badger.DB, next keys, operations, size int, record *recorder) (uint64, error) {
	checked := uint64(0)
	var value []byte
	for range operations {
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
			return checked, err
		}
		if record != nil {
			record.add(begun, begun, ended)
		}
		if !bytes.Equal(value, valueOf(number, size)) {
			return checked, fmt.Errorf("key %d: %w", number, errWrong)
		}
		checked++
	}
	return checked, nil
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
	return func(db *badger.DB, w *watcher) (measured, error) { return runGets(db, w, load, run, sources) }, nil
}

// runGets loads the keys, warms the caches with a part of the draws and measures the next ones.
func runGets(db *badger.DB, w *watcher, load getsLoad, run getsRun, sources []keys) (measured, error) {
	m := measured{counters: map[string]any{}, seconds: map[string]float64{}}
	begun := time.Now()
	if err := loadKeys(db, load); err != nil {
		return m, err
	}
	m.seconds["load"] = time.Since(begun).Seconds()
	m.counters["load"] = getCounters(db, 0)
	record := newRecorder("gets", run.Gets)
	total := uint64(0)
	for _, phase := range []struct {
		name       string
		operations int
		record     *recorder
	}{{"warm", run.Warm, nil}, {"gets", run.Gets, record}} {
		w.phase.Store(phase.name)
		begun := time.Now()
		s := suite{run: suiteRun{Workers: run.Workers}}
		counted := make([]uint64, run.Workers)
		err := s.workers(func(worker int) error {
			share := phase.operations / run.Workers
			if worker < phase.operations%run.Workers {
				share++
			}
			checked, err := run.ask(db, sources[worker], share, load.ValueBytes, phase.record)
			counted[worker] = checked
			return err
		})
		if err != nil {
			return m, err
		}
		for _, each := range counted {
			total += each
		}
		m.seconds[phase.name] = time.Since(begun).Seconds()
		m.counters[phase.name] = getCounters(db, total)
	}
	m.series = record.series()
	m.checked = total
	return m, nil
}

func getCounters(db *badger.DB, gets uint64) map[string]any {
	found := caches(db)
	found["memory"] = memory()
	found["gets"] = gets
	found["lsm_bytes"], found["value_log_bytes"] = db.Size()
	return found
}
