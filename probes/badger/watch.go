package main

import (
	"bufio"
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

// watcher notes once a second what the caches and the memory are like; its own cost is noted too.
type watcher struct {
	db       *badger.DB
	phase    atomic.Value
	stop     chan struct{}
	done     sync.WaitGroup
	started  time.Time
	timeline []map[string]any
}

func watch(db *badger.DB) *watcher {
	w := &watcher{db: db, stop: make(chan struct{}), started: time.Now()}
	w.phase.Store("load")
	w.done.Add(1)
	go func() {
		defer w.done.Done()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.look()
			}
		}
	}()
	return w
}

func (w *watcher) look() {
	begun := time.Now()
	look := map[string]any{
		"second": time.Since(w.started).Seconds(), "phase": w.phase.Load(), "caches": caches(w.db), "memory": memory(),
	}
	look["look_ns"] = time.Since(begun).Nanoseconds()
	w.timeline = append(w.timeline, look)
}

func (w *watcher) end() []map[string]any {
	close(w.stop)
	w.done.Wait()
	w.look()
	return w.timeline
}
