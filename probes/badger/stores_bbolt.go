//go:build stores

package main

import (
	"bytes"
	"path/filepath"

	"go.etcd.io/bbolt"
)

type boltStore struct{ db *bbolt.DB }

var bucket = []byte("events")

// openBolt opens bbolt as it is, but for what is synced: a commit then also leaves out the sync of its pages.
func openBolt(asked request, load storesLoad) (opened, error) {
	options := *bbolt.DefaultOptions
	options.NoSync = !load.Synced
	db, err := bbolt.Open(filepath.Join(asked.Folder, "events.bolt"), 0o600, &options)
	if err != nil {
		return opened{}, err
	}
	err = db.Update(func(txn *bbolt.Tx) error {
		_, err := txn.CreateBucket(bucket)
		return err
	})
	if err != nil {
		return opened{}, err
	}
	settings := map[string]any{"no_sync": db.NoSync, "page_bytes": db.Info().PageSize, "no_freelist_sync": db.NoFreelistSync}
	return openedOn(&boltStore{db}, settings), nil
}

func (b *boltStore) has(prefix []byte) (bool, error) {
	found := false
	err := b.db.View(func(txn *bbolt.Tx) error {
		place, _ := txn.Bucket(bucket).Cursor().Seek(prefix)
		found = bytes.HasPrefix(place, prefix)
		return nil
	})
	return found, err
}

func (b *boltStore) write(pairs []pair) error {
	return b.db.Update(func(txn *bbolt.Tx) error {
		entries := txn.Bucket(bucket)
		for _, each := range pairs {
			if err := entries.Put(each.key, each.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *boltStore) query(asked filter) (int, error) {
	r := reading{asked: asked}
	err := b.db.View(func(txn *bbolt.Tx) error {
		entries := txn.Bucket(bucket)
		cursor := entries.Cursor()
		place, _ := cursor.Seek(behind(asked.prefix))
		if place == nil {
			place, _ = cursor.Last()
		} else {
			place, _ = cursor.Prev()
		}
		for ; bytes.HasPrefix(place, asked.prefix); place, _ = cursor.Prev() {
			more, err := r.one(place, func(key []byte) ([]byte, error) { return entries.Get(key), nil })
			if err != nil || !more {
				return err
			}
		}
		return nil
	})
	return r.found, err
}

func (b *boltStore) count() (uint64, error) {
	count := uint64(0)
	err := b.db.View(func(txn *bbolt.Tx) error {
		return txn.Bucket(bucket).ForEach(func([]byte, []byte) error { count++; return nil })
	})
	return count, err
}

func (b *boltStore) close() error { return b.db.Close() }
