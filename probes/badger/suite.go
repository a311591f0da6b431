package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	badger "github.com/dgraph-io/badger/v4"
)

// suiteLoad says what the suite stores.
type suiteLoad struct {
	Events   int  `json:"events"`
	SameTime bool `json:"same_time"` // all events bear one time, as before the relay's benchmark gave each its own
}

// suiteRun says how the suite asks. Times in seconds and milliseconds; each test has a limit of its own.
type suiteRun struct {
	Workers        int      `json:"workers"`
	Rounds         int      `json:"rounds"`
	Tests          []string `json:"tests"`
	LimitS         float64  `json:"limit_s"`
	Bursts         int      `json:"bursts"`
	BurstSpreadMs  float64  `json:"burst_spread_ms"`
	BurstQuietMs   float64  `json:"burst_quiet_ms"`
	MixedSeeded    int      `json:"mixed_seeded"`
	MixedOps       int      `json:"mixed_operations"`
	QuerySeeded    int      `json:"query_seeded"`
	QueryS         float64  `json:"query_s"`
	ParallelSeeded int      `json:"concurrent_seeded"`
	ParallelS      float64  `json:"concurrent_s"`
	PauseS         float64  `json:"pause_s"`
}

var suiteTests = map[string]bool{"peak": true, "burst": true, "mixed": true, "query": true, "concurrent": true}

func (r suiteRun) check(load suiteLoad) error {
	if load.Events < 1 || r.Workers < 1 || r.Rounds < 1 || len(r.Tests) == 0 {
		return refuse("load.events, run.workers, run.rounds and run.tests must be 1 or more")
	}
	if r.Bursts < 1 || load.Events < r.Bursts || r.LimitS <= 0 || r.BurstSpreadMs < 0 || r.BurstQuietMs < 0 || r.PauseS < 0 {
		return refuse("run.bursts must lie between 1 and load.events, and no time may be negative")
	}
	if r.QueryS <= 0 || r.ParallelS <= 0 || r.MixedOps < 1 || r.MixedSeeded < 0 || r.QuerySeeded < 0 || r.ParallelSeeded < 0 {
		return refuse("the tests need positive times and operations, and seeds of 0 or more")
	}
	for _, name := range r.Tests {
		if !suiteTests[name] {
			return refuse("run.tests names %q: use peak, burst, mixed, query or concurrent", name)
		}
	}
	return nil
}

// keeper is what the suite asks of a store of events. query checks each event that it reads.
type keeper interface {
	save(event) error
	query(filter) (int, error)
}

// suite runs the relay's tests one after the other on one store.
type suite struct {
	store   keeper
	seed    uint64
	number  atomic.Int64
	made    atomic.Int64
	started int64
	run     suiteRun
	load    suiteLoad
}

// fresh makes the next event; its time is the start, or the start and its number in seconds.
func (s *suite) fresh() event {
	number := s.number.Add(1)
	created := s.started
	if !s.load.SameTime {
		created += number
	}
	return makeEvent(s.seed, int(s.made.Load()), int(number), created)
}

func (s *suite) events(count int) []event {
	s.made.Add(1)
	made := make([]event, count)
	for i := range made {
		made[i] = s.fresh()
	}
	return made
}

func (s *suite) seedStore(count int) error {
	for _, each := range s.events(count) {
		if err := s.store.save(each); err != nil {
			return err
		}
	}
	return nil
}

// firstError keeps the first error of many goroutines.
type firstError struct {
	once sync.Once
	err  error
	set  atomic.Bool
}

func (f *firstError) note(err error) {
	if err != nil {
		f.once.Do(func() { f.err = err; f.set.Store(true) })
	}
}

// peak: W workers save N events as fast as they can.
func (s *suite) peak(name string) ([]series, error) {
	events := make(chan event, s.load.Events)
	for _, each := range s.events(s.load.Events) {
		events <- each
	}
	close(events)
	record := newRecorder(name, s.load.Events)
	failed := s.workers(func(int) error {
		for each := range events {
			begun := time.Now()
			if err := s.store.save(each); err != nil {
				return err
			}
			record.add(begun, begun, time.Now())
		}
		return nil
	})
	return record.series(), failed
}

// burst: N events in bursts, one goroutine per event, started at even distances; then quiet.
func (s *suite) burst(name string) ([]series, error) {
	each := s.load.Events / s.run.Bursts
	record := newRecorder(name, s.load.Events)
	gap := time.Duration(s.run.BurstSpreadMs * float64(time.Millisecond) / float64(each))
	limit := time.Now().Add(seconds(s.run.LimitS))
	var failed firstError
	for range s.run.Bursts {
		if time.Now().After(limit) {
			break
		}
		events := s.events(each)
		var group sync.WaitGroup
		begun := time.Now()
		for i, one := range events {
			scheduled := begun.Add(time.Duration(i) * gap)
			if wait := time.Until(scheduled); wait > 0 {
				time.Sleep(wait)
			}
			group.Add(1)
			go func() {
				defer group.Done()
				started := time.Now()
				err := s.store.save(one)
				record.add(scheduled, started, time.Now())
				failed.note(err)
			}()
		}
		group.Wait()
		if failed.set.Load() {
			return nil, failed.err
		}
		time.Sleep(time.Duration(s.run.BurstQuietMs * float64(time.Millisecond)))
	}
	return record.series(), nil
}

// mixed: even operations save, odd ones ask for the newest serial numbers; each worker rests after each.
func (s *suite) mixed(name string) ([]series, error) {
	if err := s.seedStore(s.run.MixedSeeded); err != nil {
		return nil, err
	}
	saves, queries := newRecorder(name+".save", s.run.MixedOps), newRecorder(name+".query", s.run.MixedOps)
	limit := time.Now().Add(seconds(s.run.LimitS))
	failed := s.workers(func(worker int) error {
		for i := worker; i < s.run.MixedOps && time.Now().Before(limit); i += s.run.Workers {
			if i%2 == 0 {
				one := s.fresh()
				begun := time.Now()
				if err := s.store.save(one); err != nil {
					return err
				}
				saves.add(begun, begun, time.Now())
			} else if err := s.ask(filterKind(10, false), queries); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return nil
	})
	return append(saves.series(), queries.series()...), failed
}

// query: workers rotate three filters; a rest after every ten.
func (s *suite) query(name string) ([]series, error) {
	if err := s.seedStore(s.run.QuerySeeded); err != nil {
		return nil, err
	}
	asked := []filter{filterKind(100, true), filterTopic(100), filterKindTopic(50)}
	record := newRecorder(name, 1<<16)
	limit := time.Now().Add(seconds(s.run.QueryS))
	failed := s.workers(func(worker int) error {
		for i := worker; time.Now().Before(limit); i++ {
			if err := s.ask(asked[i%len(asked)], record); err != nil {
				return err
			}
			if i%10 == 9 {
				time.Sleep(10 * time.Millisecond)
			}
		}
		return nil
	})
	return record.series(), failed
}

// concurrent: half of the workers read, the other half write.
func (s *suite) concurrent(name string) ([]series, error) {
	if err := s.seedStore(s.run.ParallelSeeded); err != nil {
		return nil, err
	}
	saves, queries := newRecorder(name+".save", s.load.Events), newRecorder(name+".query", 1<<16)
	limit := time.Now().Add(seconds(s.run.ParallelS))
	readers := max(1, s.run.Workers/2)
	var left atomic.Int64
	left.Store(int64(s.load.Events))
	failed := s.workers(func(worker int) error {
		for i := 0; time.Now().Before(limit); i++ {
			if worker < readers {
				asked := filterKindTopic(50)
				if i%2 == 0 {
					asked = filterSince(s.newest()-600, 100)
				}
				if err := s.ask(asked, queries); err != nil {
					return err
				}
				if i%5 == 4 {
					time.Sleep(5 * time.Millisecond)
				}
				continue
			}
			if left.Add(-1) < 0 {
				return nil
			}
			one := s.fresh()
			begun := time.Now()
			if err := s.store.save(one); err != nil {
				return err
			}
			saves.add(begun, begun, time.Now())
			if i%10 == 9 {
				time.Sleep(10 * time.Millisecond)
			}
		}
		return nil
	})
	return append(saves.series(), queries.series()...), failed
}

// tests are those that every store goes through, by name; each is given the name of its series.
func (s *suite) tests() map[string]func(string) ([]series, error) {
	return map[string]func(string) ([]series, error){
		"peak": s.peak, "burst": s.burst, "mixed": s.mixed, "query": s.query, "concurrent": s.concurrent,
	}
}

func (s *suite) newest() int64 {
	if s.load.SameTime {
		return s.started
	}
	return s.started + s.number.Load()
}

func (s *suite) ask(asked filter, record *recorder) error {
	begun := time.Now()
	if _, err := s.store.query(asked); err != nil {
		return err
	}
	record.add(begun, begun, time.Now())
	return nil
}

func (s *suite) workers(work func(worker int) error) error {
	var group sync.WaitGroup
	var failed firstError
	for worker := range s.run.Workers {
		group.Add(1)
		go func() {
			defer group.Done()
			failed.note(work(worker))
		}()
	}
	group.Wait()
	return failed.err
}

func seconds(value float64) time.Duration { return time.Duration(value * float64(time.Second)) }

func prepareSuite(asked request) (work, error) {
	var load suiteLoad
	var run suiteRun
	if err := both(asked, &load, &run); err != nil {
		return nil, err
	}
	if err := run.check(load); err != nil {
		return nil, err
	}
	return func(db *badger.DB, w *watcher) (measured, error) {
		return runSuite(db, w, uint64(asked.Seed), load, run)
	}, nil
}

// both decodes what is loaded and what is run.
func both(asked request, load, run any) error {
	if err := strict(asked.Load, load); err != nil {
		return refuse("load is wrong: %v", err)
	}
	if err := strict(asked.Run, run); err != nil {
		return refuse("run is wrong: %v", err)
	}
	return nil
}

// runSuite runs the tests in their order, round by round, and notes the counters behind each.
func runSuite(db *badger.DB, w *watcher, seed uint64, load suiteLoad, run suiteRun) (measured, error) {
	store := &eventStore{db: db}
	s := &suite{store: store, seed: seed, started: now(), run: run, load: load}
	tests := s.tests()
	m := measured{counters: map[string]any{}, seconds: map[string]float64{}}
	for round := 1; round <= run.Rounds; round++ {
		if err := db.RunValueLogGC(0.5); err != nil && err != badger.ErrNoRewrite {
			return m, err
		}
		for _, test := range run.Tests {
			name := fmt.Sprintf("round_%d.%s", round, test)
			w.phase.Store(name)
			begun := time.Now()
			found, err := tests[test](name)
			if err != nil {
				return m, fmt.Errorf("%s: %w", name, err)
			}
			m.seconds[name] = time.Since(begun).Seconds()
			m.series = append(m.series, found...)
			m.counters[name] = phaseCounters(db, store, w)
			time.Sleep(seconds(run.PauseS))
		}
	}
	if _, err := store.countKeys(); err != nil {
		return m, err
	}
	m.checked = store.checked.Load()
	return m, nil
}

// phaseCounters are totals since the store was opened.
func phaseCounters(db *badger.DB, store *eventStore, w *watcher) map[string]any {
	found := caches(db)
	found["memory"], found["peaks"] = memory(), w.highest()
	found["gets"], found["seeks"] = store.gets.Load(), store.seeks.Load()
	found["saved_events"] = store.saved.Load()
	found["stored_keys"] = keysPerEvent * store.saved.Load()
	tables, index, onDisk, largest := 0, int64(0), int64(0), int64(0)
	for _, table := range db.Tables() {
		tables++
		index += int64(table.IndexSz)
		onDisk += int64(table.OnDiskSize)
		largest = max(largest, int64(table.OnDiskSize))
	}
	found["tables"], found["index_bytes"] = tables, index
	found["tables_bytes"], found["largest_table_bytes"] = onDisk, largest
	return found
}
