//go:build stores

package main

/*
#cgo LDFLAGS: -llmdb
#include <lmdb.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A request and its answer are one call each: a transaction stays on the thread that began it.

static uint32_t length_at(const uint8_t *at) {
	uint32_t length;
	memcpy(&length, at, sizeof length);
	return length;
}

// store_all writes pairs: the two lengths, the key, the value, one pair after the other.
static int store_all(MDB_env *env, MDB_dbi dbi, uint8_t *pairs, size_t size) {
	MDB_txn *txn;
	int code = mdb_txn_begin(env, NULL, 0, &txn);
	for (size_t at = 0; !code && at < size;) {
		MDB_val key = {length_at(pairs + at), pairs + at + 8};
		MDB_val value = {length_at(pairs + at + 4), pairs + at + 8 + key.mv_size};
		at += 8 + key.mv_size + value.mv_size;
		if ((code = mdb_put(txn, dbi, &key, &value, 0)) != 0) mdb_txn_abort(txn);
	}
	return code ? code : mdb_txn_commit(txn);
}

static int begins_with(const MDB_val *key, const uint8_t *prefix, size_t length) {
	return key->mv_size >= length && memcmp(key->mv_data, prefix, length) == 0;
}

// is_there says in found whether a key begins with a prefix.
static int is_there(MDB_env *env, MDB_dbi dbi, uint8_t *prefix, size_t length, int *found) {
	MDB_txn *txn;
	MDB_cursor *cursor;
	int code = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
	*found = 0;
	if (code) return code;
	if ((code = mdb_cursor_open(txn, dbi, &cursor)) == 0) {
		MDB_val key = {length, prefix}, value;
		code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
		*found = code == 0 && begins_with(&key, prefix, length);
		if (code == MDB_NOTFOUND) code = 0;
		mdb_cursor_close(cursor);
	}
	mdb_txn_abort(txn);
	return code;
}

// newest_of reads the keys of a prefix backwards from `above`, the least key behind them. Of each it appends the last 16
// bytes, time and number of its event, and where `letter` is not 0 the event under letter and number, after its length,
// to a buffer that the caller frees.
static int newest_of(MDB_env *env, MDB_dbi dbi, uint8_t *prefix, size_t length, uint8_t *above, size_t above_length,
                     uint8_t *since, size_t limit, uint8_t letter, uint8_t **out, size_t *size) {
	MDB_txn *txn;
	MDB_cursor *cursor;
	size_t room = limit * 512 + 64;
	int code = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
	*size = 0;
	*out = NULL;
	if (code) return code;
	if ((code = mdb_cursor_open(txn, dbi, &cursor)) != 0) {
		mdb_txn_abort(txn);
		return code;
	}
	*out = malloc(room);
	MDB_val key = {above_length, above}, value;
	code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
	code = mdb_cursor_get(cursor, &key, &value, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
	for (size_t found = 0; !code && found < limit && begins_with(&key, prefix, length); found++) {
		uint8_t *tail = (uint8_t *)key.mv_data + key.mv_size - 16, place[9] = {letter};
		if (memcmp(tail, since, 8) < 0) break;
		MDB_val text = {0, NULL}, name = {sizeof place, place};
		memcpy(place + 1, tail + 8, 8);
		if (letter && (code = mdb_get(txn, dbi, &name, &text)) != 0) {
			if (code == MDB_NOTFOUND) code = MDB_CORRUPTED; // an index key leads to no event
			break;
		}
		if (*size + 20 + text.mv_size > room) {
			uint8_t *larger = realloc(*out, room = 2 * room + text.mv_size);
			if (!larger) abort();
			*out = larger;
		}
		uint32_t bytes = (uint32_t)text.mv_size;
		memcpy(*out + *size, tail, 16);
		memcpy(*out + *size + 16, &bytes, sizeof bytes);
		if (bytes) memcpy(*out + *size + 20, text.mv_data, bytes);
		*size += 20 + bytes;
		code = mdb_cursor_get(cursor, &key, &value, MDB_PREV);
	}
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	return code == MDB_NOTFOUND ? 0 : code;
}

static int number_of_keys(MDB_env *env, MDB_dbi dbi, size_t *count) {
	MDB_txn *txn;
	MDB_stat stat;
	int code = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
	if (code) return code;
	if ((code = mdb_stat(txn, dbi, &stat)) == 0) *count = stat.ms_entries;
	mdb_txn_abort(txn);
	return code;
}

static int create(const char *folder, size_t map, unsigned flags, MDB_env **env, MDB_dbi *dbi) {
	MDB_txn *txn;
	int code = mdb_env_create(env);
	if (code) return code;
	if ((code = mdb_env_set_mapsize(*env, map)) || (code = mdb_env_set_maxreaders(*env, 2048)) ||
	    (code = mdb_env_open(*env, folder, flags, 0600)) || (code = mdb_txn_begin(*env, NULL, 0, &txn)))
		return code;
	code = mdb_dbi_open(txn, NULL, 0, dbi);
	return code ? code : mdb_txn_commit(txn);
}
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// mapBytes is how much of the address space LMDB may map: its file cannot grow beyond.
const mapBytes = 64 << 30

// readersAtOnce is how many goroutines read at the same time; each takes a thread while it does.
const readersAtOnce = 64

type lmdbStore struct {
	env     *C.MDB_env
	dbi     C.MDB_dbi
	writer  sync.Mutex // LMDB's own would hold a thread for each goroutine that waits
	readers chan struct{}
}

func lmdbVersion() string {
	var major, minor, patch C.int
	C.mdb_version(&major, &minor, &patch)
	return fmt.Sprintf("%d.%d.%d", major, minor, patch)
}

func failedIn(code C.int) error {
	if code == 0 {
		return nil
	}
	return errors.New("LMDB: " + C.GoString(C.mdb_strerror(code)))
}

// openLMDB opens LMDB with random reads not read ahead, as for a store in which they are scattered.
func openLMDB(asked request, load storesLoad) (opened, error) {
	store := &lmdbStore{readers: make(chan struct{}, readersAtOnce)}
	folder := C.CString(asked.Folder)
	defer C.free(unsafe.Pointer(folder))
	flags := C.uint(C.MDB_NOTLS | C.MDB_NORDAHEAD)
	if !load.Synced {
		flags |= C.MDB_NOSYNC
	}
	if err := failedIn(C.create(folder, mapBytes, flags, &store.env, &store.dbi)); err != nil {
		return opened{}, err
	}
	return openedOn(store, map[string]any{"no_sync": !load.Synced, "no_read_ahead": true}), nil
}

func first(bytes []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(bytes))) }

func (l *lmdbStore) read(work func() C.int) error {
	l.readers <- struct{}{}
	defer func() { <-l.readers }()
	return failedIn(work())
}

func (l *lmdbStore) has(prefix []byte) (bool, error) {
	var found C.int
	err := l.read(func() C.int {
		return C.is_there(l.env, l.dbi, first(prefix), C.size_t(len(prefix)), &found)
	})
	return found == 1, err
}

func (l *lmdbStore) write(pairs []pair) error {
	packed := make([]byte, 0, 1024)
	for _, each := range pairs {
		packed = binary.NativeEndian.AppendUint32(packed, uint32(len(each.key)))
		packed = binary.NativeEndian.AppendUint32(packed, uint32(len(each.value)))
		packed = append(append(packed, each.key...), each.value...)
	}
	l.writer.Lock()
	defer l.writer.Unlock()
	return failedIn(C.store_all(l.env, l.dbi, first(packed), C.size_t(len(packed))))
}

func (l *lmdbStore) query(asked filter) (int, error) {
	letter := C.uint8_t(0)
	if asked.fetch {
		letter = prefixEvent
	}
	var out *C.uint8_t
	var size C.size_t
	above, since := behind(asked.prefix), be64(uint64(max(0, asked.since)))
	err := l.read(func() C.int {
		return C.newest_of(l.env, l.dbi, first(asked.prefix), C.size_t(len(asked.prefix)), first(above),
			C.size_t(len(above)), first(since), C.size_t(asked.limit), letter, &out, &size)
	})
	defer C.free(unsafe.Pointer(out))
	if err != nil {
		return 0, err
	}
	answer := unsafe.Slice((*byte)(unsafe.Pointer(out)), int(size))
	r := reading{asked: asked}
	for len(answer) > 0 {
		end := 20 + int(binary.NativeEndian.Uint32(answer[16:20]))
		place, text := answer[:16], answer[20:end]
		if _, err := r.one(place, func([]byte) ([]byte, error) { return text, nil }); err != nil {
			return 0, err
		}
		answer = answer[end:]
	}
	return r.found, nil
}

func (l *lmdbStore) count() (uint64, error) {
	var count C.size_t
	err := l.read(func() C.int { return C.number_of_keys(l.env, l.dbi, &count) })
	return uint64(count), err
}

func (l *lmdbStore) close() error {
	C.mdb_env_close(l.env)
	return nil
}
