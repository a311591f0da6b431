//go:build stores

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	badger "github.com/dgraph-io/badger/v4"
)

// This build holds one more workload, stores: the suite on other engines too, each trial on one of them.
func init() {
	workloads["stores"] = answerStores
	versions = func() string {
		said := make([]string, 0, len(engines))
		for _, each := range engines {
			said = append(said, each.title+" "+each.version())
		}
		return strings.Join(said, ", ")
	}
	suiteTests["alone"] = true
}

// storesLoad says which store is filled, and whether a save is on the device before it returns.
type storesLoad struct {
	Events     int    `json:"events"`
	Engine     string `json:"engine"`
	Synced     bool   `json:"synced"`
	QueryCache bool   `json:"query_cache"`
	CacheBytes int64  `json:"cache_bytes"` // of an engine that has a cache of its own
}

// storesRun is the suite's, and how many events are saved one after the other in its test alone.
type storesRun struct {
	suiteRun
	Alone int `json:"alone_events"`
}

// opened is a store on one engine.
type opened struct {
	keeper
	settings map[string]any
	count    func() (uint64, error) // of events, or of keys where an event has several
	each     uint64                 // how many of these an event makes
	close    func() error
	db       *badger.DB // where it is one
}

// engine is one of those in this program.
type engine struct {
	name, title string
	version     func() string
	open        func(asked request, load storesLoad) (opened, error)
}

var engines = []engine{
	{"badger", "Badger", func() string { return strings.TrimPrefix(engineVersion(), "v") }, openBadger},
	{"sqlite", "SQLite", sqliteVersion, openSQLite},
	{"lmdb", "LMDB", lmdbVersion, openLMDB},
	{"bbolt", "bbolt", func() string { return moduleVersion("go.etcd.io/bbolt") }, openBolt},
	{"pebble", "Pebble", func() string { return moduleVersion("github.com/cockroachdb/pebble") }, openPebble},
}

// schemas are engines under a further name, with tables of another kind.
var schemas = map[string]string{"sqlite_tags": "sqlite", "sqlite_journal": "sqlite"}

func moduleVersion(path string) string {
	if module := built(path); module != nil {
		return strings.TrimPrefix(module.Version, "v")
	}
	return "unknown"
}

func known(name string) (engine, error) {
	of := name
	if other, found := schemas[name]; found {
		of = other
	}
	names := make([]string, 0, len(engines)+len(schemas))
	for _, each := range engines {
		if each.name == of {
			return each, nil
		}
		names = append(names, each.name)
	}
	for each := range schemas {
		names = append(names, each)
	}
	return engine{}, refuse("load.engine is %q: use one of %s", name, strings.Join(names, ", "))
}

func openBadger(asked request, load storesLoad) (opened, error) {
	options := asked.Options
	options.SyncWrites = &load.Synced
	chosen, err := badgerOptions(asked.Folder, options)
	if err != nil {
		return opened{}, err
	}
	db, err := badger.Open(chosen)
	if err != nil {
		return opened{}, err
	}
	store := &eventStore{db: db}
	return opened{store, settings(chosen), store.countKeys, keysPerEvent, db.Close, db}, nil
}

// storeTrial is a trial under way.
type storeTrial struct {
	*suite
	opened
	folder  string
	alone   int
	waiting *underWay
	cached  *queryCache
}

func answerStores(asked request) (map[string]any, []series, error) {
	var load storesLoad
	var run storesRun
	if err := both(asked, &load, &run); err != nil {
		return nil, nil, err
	}
	if err := run.check(suiteLoad{Events: load.Events}); err != nil {
		return nil, nil, err
	}
	if run.Rounds != 1 || run.Alone < exactly || run.Alone > load.Events || load.CacheBytes < 1<<20 {
		return nil, nil, refuse("run.rounds must be 1, run.alone_events 20 to load.events, load.cache_bytes 1 MiB or more")
	}
	chosen, err := known(load.Engine)
	if err != nil {
		return nil, nil, err
	}
	store, err := chosen.open(asked, load)
	if err != nil {
		return nil, nil, err
	}
	t := &storeTrial{opened: store, folder: asked.Folder, alone: run.Alone, waiting: &underWay{keeper: store.keeper}}
	kept := keeper(t.waiting)
	if load.QueryCache {
		t.cached = &queryCache{keeper: kept}
		kept = t.cached
	}
	t.suite = &suite{
		store: kept, seed: uint64(asked.Seed), started: now(), run: run.suiteRun, load: suiteLoad{Events: load.Events},
	}
	m, err := t.measure()
	if closing := store.close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, nil, err
	}
	store.settings["synced"], store.settings["query_cache"] = load.Synced, load.QueryCache
	return map[string]any{
		"probe": "stores", "engine": chosen.title, "engine_version": chosen.version(), "settings": store.settings,
		"seconds": m.seconds, "counters": m.counters, "timeline": []any{}, "memory": memory(), "checked_reads": m.checked,
	}, m.series, nil
}

// measure runs the tests in their order and notes the counters behind each. Before queries are timed, each filter's
// answer is compared with the events that were saved last.
func (t *storeTrial) measure() (measured, error) {
	tests := t.tests()
	tests["alone"] = t.oneByOne
	m := measured{counters: map[string]any{"start": t.counters()}, seconds: map[string]float64{}}
	for _, test := range t.run.Tests {
		name := "round_1." + test
		begun := time.Now()
		found, err := tests[test](name)
		if err != nil {
			return m, fmt.Errorf("%s: %w", name, err)
		}
		m.seconds[name] = time.Since(begun).Seconds()
		m.series = append(m.series, found...)
		m.counters[name] = t.counters()
		if err := t.exact(); err != nil {
			return m, fmt.Errorf("after %s: %w", name, err)
		}
		m.checked += 4 * exactly
		time.Sleep(seconds(t.run.PauseS))
	}
	count, err := t.count()
	if err == nil && count != t.each*t.waiting.saved.Load() {
		err = fmt.Errorf("%d entries are stored for %d events: %w", count, t.waiting.saved.Load(), errWrong)
	}
	m.checked += t.waiting.found.Load()
	return m, err
}

// oneByOne saves events one after the other: nothing waits for anything but the store.
func (t *storeTrial) oneByOne(name string) ([]series, error) {
	record := newRecorder(name, t.alone)
	for _, each := range t.events(t.alone) {
		begun := time.Now()
		if err := t.suite.store.save(each); err != nil {
			return nil, err
		}
		record.add(begun, begun, time.Now())
	}
	return record.series(), nil
}

// exactly events are compared for each of four filters.
const exactly = 20

// exact asks each filter for the newest events, while nothing is saved: they must be those saved last, in this order.
func (t *storeTrial) exact() error {
	newest := t.newest()
	for _, asked := range []filter{
		filterKind(exactly, true), filterTopic(exactly), filterKindTopic(exactly), filterSince(newest-exactly+1, 100),
	} {
		times, err := t.times(asked)
		if err != nil {
			return err
		}
		for place, created := range times {
			if created != newest-int64(place) {
				return fmt.Errorf("place %d of an answer holds another event: %w", place, errWrong)
			}
		}
		if len(times) != exactly {
			return fmt.Errorf("%d events answer where %d were saved: %w", len(times), exactly, errWrong)
		}
	}
	return nil
}

// times are those of the events that answer a filter, in the order of the answer.
func (t *storeTrial) times(asked filter) ([]int64, error) {
	var found []int64
	asked.seen = func(created int64) { found = append(found, created) }
	_, err := t.opened.query(asked)
	return found, err
}

// counters are totals since the store was opened.
func (t *storeTrial) counters() map[string]any {
	found := map[string]any{
		"memory": memory(), "device": deviceWrites(t.folder), "store_bytes": onDisk(t.folder),
		"saved_events": t.waiting.saved.Load(), "most_under_way": t.waiting.most.Swap(0),
	}
	if t.cached != nil {
		found["query_cache_hits"], found["query_cache_misses"] = t.cached.hits.Load(), t.cached.misses.Load()
	}
	if t.db != nil {
		found["caches"] = caches(t.db)
	}
	return found
}

// underWay counts saves: how many were made, and how many at most were under way at once.
type underWay struct {
	keeper
	now, most    atomic.Int64
	saved, found atomic.Uint64
}

func (u *underWay) save(e event) error {
	now := u.now.Add(1)
	for most := u.most.Load(); now > most && !u.most.CompareAndSwap(most, now); most = u.most.Load() {
	}
	err := u.keeper.save(e)
	u.now.Add(-1)
	if err == nil {
		u.saved.Add(1)
	}
	return err
}

func (u *underWay) query(asked filter) (int, error) {
	found, err := u.keeper.query(asked)
	if asked.fetch {
		u.found.Add(uint64(found))
	}
	return found, err
}

// onDisk is what the files of a folder take, in bytes.
func onDisk(folder string) int64 {
	total := int64(0)
	filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // a file that an engine has just removed
		}
		if info, err := entry.Info(); err == nil {
			if found, ok := info.Sys().(*syscall.Stat_t); ok {
				total += found.Blocks * 512
			}
		}
		return nil
	})
	return total
}

// deviceWrites is what the device below a folder has written and flushed since it was there, by everybody; nil where the
// kernel does not say.
func deviceWrites(folder string) map[string]int64 {
	var found syscall.Stat_t
	if syscall.Stat(folder, &found) != nil {
		return nil
	}
	major, minor := found.Dev>>8&0xfff, found.Dev&0xff|found.Dev>>12&^0xff
	content, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", major, minor))
	fields := strings.Fields(string(content))
	if err != nil || len(fields) < 16 {
		return nil
	}
	return map[string]int64{
		"writes": number(fields[4]), "written_bytes": 512 * number(fields[6]), "flushes": number(fields[15]),
	}
}
