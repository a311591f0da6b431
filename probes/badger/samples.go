package main

import (
	"bufio"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// series is one list of latencies in ns, in the order in which the operations ended.
type series struct {
	Name   string `json:"name"`
	Count  int    `json:"count"`
	values []uint64
}

// recorder takes a service and a response time per operation from many goroutines.
type recorder struct {
	mutex    sync.Mutex
	name     string
	service  []uint64
	response []uint64
}

func newRecorder(name string, expected int) *recorder {
	return &recorder{name: name, service: make([]uint64, 0, expected), response: make([]uint64, 0, expected)}
}

// add records an operation that was due at scheduled and began at started.
func (r *recorder) add(scheduled, started, ended time.Time) {
	r.mutex.Lock()
	r.service = append(r.service, uint64(ended.Sub(started)))
	r.response = append(r.response, uint64(ended.Sub(scheduled)))
	r.mutex.Unlock()
}

func (r *recorder) series() []series {
	return []series{
		{r.name + ".service", len(r.service), r.service},
		{r.name + ".response", len(r.response), r.response},
	}
}

// writeSamples writes all series one after the other under a temporary name, syncs and renames.
func writeSamples(path string, all []series) (err error) {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(temporary)
		}
	}()
	out := bufio.NewWriterSize(file, 1<<20)
	var eight [8]byte
	for _, each := range all {
		for _, value := range each.values {
			binary.LittleEndian.PutUint64(eight[:], value)
			if _, err = out.Write(eight[:]); err != nil {
				return err
			}
		}
	}
	if err = out.Flush(); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// timerCost is the shortest time between two readings of the clock, in ns.
func timerCost() int64 {
	best := time.Duration(1 << 62)
	for range 2000 {
		begun := time.Now()
		if cost := time.Since(begun); cost < best && cost > 0 {
			best = cost
		}
	}
	return best.Nanoseconds()
}
