//go:build stores

package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble"
)

type pebbleStore struct {
	db   *pebble.DB
	sync *pebble.WriteOptions
}

// loudly keeps Pebble's messages off the streams, but for those that end it.
type loudly struct{}

func (loudly) Infof(string, ...any) {}
func (loudly) Fatalf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "pebble: "+format+"\n", values...)
	os.Exit(failed)
}

// openPebble opens Pebble as it is, but for its cache and what is synced.
func openPebble(asked request, load storesLoad) (opened, error) {
	cache := pebble.NewCache(load.CacheBytes)
	defer cache.Unref()
	options := &pebble.Options{Cache: cache, Logger: loudly{}}
	db, err := pebble.Open(asked.Folder, options)
	if err != nil {
		return opened{}, err
	}
	store := &pebbleStore{db: db, sync: pebble.NoSync}
	if load.Synced {
		store.sync = pebble.Sync
	}
	settings := map[string]any{"block_cache_bytes": load.CacheBytes, "mem_table_bytes": options.MemTableSize}
	return openedOn(store, settings), nil
}

// inside gives an iterator over the keys that begin with a prefix.
func (p *pebbleStore) inside(prefix []byte) (*pebble.Iterator, error) {
	return p.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: behind(prefix)})
}

func (p *pebbleStore) has(prefix []byte) (bool, error) {
	entries, err := p.inside(prefix)
	if err != nil {
		return false, err
	}
	found := entries.First()
	return found, entries.Close()
}

func (p *pebbleStore) write(pairs []pair) error {
	batch := p.db.NewBatch()
	for _, each := range pairs {
		if err := batch.Set(each.key, each.value, nil); err != nil {
			return err
		}
	}
	if err := batch.Commit(p.sync); err != nil {
		return err
	}
	return batch.Close()
}

func (p *pebbleStore) query(asked filter) (int, error) {
	entries, err := p.inside(asked.prefix)
	if err != nil {
		return 0, err
	}
	r := reading{asked: asked}
	for valid := entries.Last(); valid; valid = entries.Prev() {
		more, err := r.one(entries.Key(), p.text)
		if err != nil {
			entries.Close()
			return 0, err
		}
		if !more {
			break
		}
	}
	return r.found, entries.Close()
}

func (p *pebbleStore) text(key []byte) ([]byte, error) {
	stored, closer, err := p.db.Get(key)
	if err != nil {
		return nil, fmt.Errorf("an index key leads to no event: %w", err)
	}
	copied := bytes.Clone(stored)
	return copied, closer.Close()
}

func (p *pebbleStore) count() (uint64, error) {
	entries, err := p.db.NewIter(nil)
	if err != nil {
		return 0, err
	}
	count := uint64(0)
	for valid := entries.First(); valid; valid = entries.Next() {
		count++
	}
	return count, entries.Close()
}

func (p *pebbleStore) close() error { return p.db.Close() }
