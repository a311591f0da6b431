package main

import (
	"bufio"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	badger "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/ristretto/v2"
)

// counts is what one of Badger's two caches says of itself; nil where there is no such cache.
func counts(m *ristretto.Metrics) map[string]any {
	if m == nil {
		return nil
	}
	found := map[string]any{
		"hits": m.Hits(), "misses": m.Misses(),
		"keys_added": m.KeysAdded(), "keys_updated": m.KeysUpdated(), "keys_evicted": m.KeysEvicted(),
		"cost_added_bytes": m.CostAdded(), "cost_evicted_bytes": m.CostEvicted(),
		"sets_dropped": m.SetsDropped(), "sets_rejected": m.SetsRejected(),
		"gets_kept": m.GetsKept(), "gets_dropped": m.GetsDropped(),
	}
	if life := m.LifeExpectancySeconds(); life != nil {
		found["life_bounds_s"] = life.Bounds
		found["life_counts"] = life.CountPerBucket
		found["life_entries"] = life.Count
	}
	return found
}

func caches(db *badger.DB) map[string]any {
	return map[string]any{"block_cache": counts(db.BlockCacheMetrics()), "index_cache": counts(db.IndexCacheMetrics())}
}

// memory is what the kernel and the Go runtime say of this process, in bytes and counts.
func memory() map[string]any {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	found := map[string]any{
		"go_sys_bytes": heap.Sys, "go_heap_alloc_bytes": heap.HeapAlloc, "go_heap_sys_bytes": heap.HeapSys,
		"go_stack_bytes": heap.StackSys, "go_collections": heap.NumGC, "go_pause_total_ns": heap.PauseTotalNs,
	}
	for name, key := range map[string]string{
		"VmRSS": "resident_bytes", "VmHWM": "peak_resident_bytes", "RssAnon": "anonymous_bytes",
		"RssFile": "mapped_file_bytes", "RssShmem": "shared_bytes",
	} {
		if kib, ok := procField("/proc/self/status", name); ok {
			found[key] = kib * 1024
		}
	}
	if content, err := os.ReadFile("/proc/self/stat"); err == nil {
		fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
		if len(fields) > 9 {
			found["minor_faults"] = number(fields[7])
			found["major_faults"] = number(fields[9])
		}
	}
	for name, key := range map[string]string{"read_bytes": "device_read_bytes", "write_bytes": "device_write_bytes"} {
		if bytes, ok := procField("/proc/self/io", name); ok {
			found[key] = bytes
		}
	}
	return found
}

func number(text string) int64 {
	value, _ := strconv.ParseInt(text, 10, 64)
	return value
}

// procField is the first number behind a name in a file of the form "name: value".
func procField(path, name string) (int64, bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		rest, found := strings.CutPrefix(lines.Text(), name+":")
		if !found {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0, false
		}
		value, err := strconv.ParseInt(fields[0], 10, 64)
		return value, err == nil
	}
	return 0, false
}

// badgerHeap is the live heap that Badger's own code allocated, without what the caches hold, in bytes: memtable arenas,
// table readers, buffers, pending writes. It is the runtime's sampled profile as of the last collection.
func badgerHeap() int64 {
	records := make([]runtime.MemProfileRecord, 1024)
	for {
		n, enough := runtime.MemProfile(records, false)
		if enough {
			records = records[:n]
			break
		}
		records = make([]runtime.MemProfileRecord, n+256)
	}
	total := 0.0
	for i := range records {
		if record := &records[i]; allocatedByBadger(record.Stack()) {
			total += unsampled(record.InUseBytes(), record.InUseObjects())
		}
	}
	return int64(total)
}

func allocatedByBadger(stack []uintptr) bool {
	frames := runtime.CallersFrames(stack)
	inside := false
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "dgraph-io/ristretto/v2.") || strings.Contains(frame.Function, "table.(*Table).block") {
			return false
		}
		inside = inside || strings.Contains(frame.Function, "dgraph-io/badger/v4")
		if !more {
			return inside
		}
	}
}

// unsampled is what a sampled number of bytes stands for: an object of the mean size is sampled with this probability.
func unsampled(bytes, objects int64) float64 {
	if bytes == 0 || objects == 0 {
		return 0
	}
	mean := float64(bytes) / float64(objects)
	return float64(bytes) / (1 - math.Exp(-mean/float64(runtime.MemProfileRate)))
}

// peaks are the largest values seen since the store was opened, in bytes.
type peaks struct {
	anonymous, resident, goOverhead, goHeap, badgerHeap, blockCache, indexCache int64
}

func held(m *ristretto.Metrics) int64 {
	if m == nil {
		return 0
	}
	return int64(m.CostAdded() - m.CostEvicted())
}

func larger(target *int64, value any) {
	if found, ok := value.(int64); ok && found > *target {
		*target = found
	}
}

func (p *peaks) see(db *badger.DB, seen map[string]any) {
	larger(&p.anonymous, seen["anonymous_bytes"])
	larger(&p.resident, seen["resident_bytes"])
	sys, heap := int64(seen["go_sys_bytes"].(uint64)), int64(seen["go_heap_alloc_bytes"].(uint64))
	larger(&p.goOverhead, sys-heap)
	larger(&p.goHeap, heap)
	larger(&p.badgerHeap, badgerHeap())
	larger(&p.blockCache, held(db.BlockCacheMetrics()))
	larger(&p.indexCache, held(db.IndexCacheMetrics()))
}

func (p *peaks) record() map[string]any {
	return map[string]any{
		"anonymous_bytes": p.anonymous, "resident_bytes": p.resident, "go_overhead_bytes": p.goOverhead,
		"go_heap_bytes": p.goHeap, "badger_heap_bytes": p.badgerHeap,
		"block_cache_charged_bytes": p.blockCache, "index_cache_charged_bytes": p.indexCache,
	}
}

// looksPerSecond is how often the peaks are looked for; the timeline keeps one look a second.
const looksPerSecond = 5

// watcher notes what the caches and the memory are like; its own cost is noted too.
type watcher struct {
	db       *badger.DB
	phase    atomic.Value
	stop     chan struct{}
	stopOnce sync.Once
	done     sync.WaitGroup
	started  time.Time
	mutex    sync.Mutex
	peaks    peaks
	timeline []map[string]any
}

func watch(db *badger.DB) *watcher {
	w := &watcher{db: db, stop: make(chan struct{}), started: time.Now()}
	w.phase.Store("load")
	w.done.Add(1)
	go func() {
		defer w.done.Done()
		tick := time.NewTicker(time.Second / looksPerSecond)
		defer tick.Stop()
		for looks := 1; ; looks++ {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.look(looks%looksPerSecond == 0)
			}
		}
	}()
	return w
}

func (w *watcher) look(keep bool) {
	begun := time.Now()
	seen := memory()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.peaks.see(w.db, seen)
	if !keep {
		return
	}
	look := map[string]any{
		"second": time.Since(w.started).Seconds(), "phase": w.phase.Load(), "caches": caches(w.db), "memory": seen,
	}
	look["look_ns"] = time.Since(begun).Nanoseconds()
	w.timeline = append(w.timeline, look)
}

// highest are the peaks so far, with a look at this moment.
func (w *watcher) highest() map[string]any {
	w.look(false)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.peaks.record()
}

// pause ends the looks that come by themselves: a probe that waits takes no processor.
func (w *watcher) pause() {
	w.stopOnce.Do(func() { close(w.stop) })
	w.done.Wait()
}

func (w *watcher) end() []map[string]any {
	w.pause()
	w.look(true)
	return w.timeline
}
