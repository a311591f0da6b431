package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	badger "github.com/dgraph-io/badger/v4"
)

// One event of the relay: a JSON text of 300 to 400 bytes under a serial number, and eight keys that lead to it.
// The prefixes sort as the relay's do, times before ids before events before the rest: where a block lies in its table
// decides what Badger charges for it.
const (
	prefixCreated  = 'c' // time, serial
	prefixID       = 'd' // hash of the id -> serial
	prefixEvent    = 'e' // serial -> text
	prefixKind     = 'k' // kind, time, serial
	prefixAuthKind = 'l' // author, kind, time, serial
	prefixAuthor   = 'p' // author, time, serial
	prefixTagE     = 's' // hash of the referred event, time, serial
	prefixTagT     = 't' // topic, time, serial
	prefixTagKind  = 'u' // kind, topic, time, serial
)

// keysPerEvent are written for each event.
const keysPerEvent = 9

const (
	kindNote   = uint16(1)
	references = 50
)

var topic = []byte("benchmark")

type event struct {
	id      [32]byte
	author  [32]byte
	created int64
	number  int
	ref     int
	text    []byte
}

// makeEvent makes the event of a number: the same number and seed give the same event.
func makeEvent(seed uint64, generation, number int, created int64) event {
	var e event
	var source [16]byte
	binary.BigEndian.PutUint64(source[:8], seed)
	binary.BigEndian.PutUint64(source[8:], uint64(number))
	e.id = sha256.Sum256(source[:])
	binary.BigEndian.PutUint64(source[8:], ^uint64(generation)) // each generation has an author of its own
	e.author = sha256.Sum256(source[:])
	e.created = created
	e.ref = number % references
	e.number = number
	e.text = written(
		hex.EncodeToString(e.id[:]), hex.EncodeToString(e.author[:]), created, int(kindNote), e.tags(), e.content(), e.signature(),
	)
	return e
}

// written is an event as its text.
func written(id, author string, created int64, kind int, tags, content, signature string) []byte {
	return fmt.Appendf(nil, `{"id":"%s","pubkey":"%s","created_at":%d,"kind":%d,"tags":%s,"content":"%s","sig":"%s"}`,
		id, author, created, kind, tags, content, signature)
}

func (e event) tags() string { return fmt.Sprintf(`[["t","%s"],["e","ref_%d"]]`, topic, e.ref) }

func (e event) content() string { return fmt.Sprintf("event %d", e.number) }

// signature is as long as a real one; the second half is the id, by which a text that was read is checked.
func (e event) signature() string {
	first := sha256.Sum256(e.id[:])
	return hex.EncodeToString(first[:]) + hex.EncodeToString(e.id[:])
}

// pair is a key and its value, which may be empty.
type pair struct{ key, value []byte }

// placed is where the number of an event stands under its id.
func (e event) placed() []byte { return key(prefixID, e.id[:8]) }

// naming is where the deletions that name an event stand.
func (e event) naming() []byte { return key(prefixTagE, hashed(hex.EncodeToString(e.id[:]))) }

func (e event) refused() error { return fmt.Errorf("event %x is stored already", e.id[:8]) }

// pairs are what is stored of an event under a serial number: its text, and the keys that lead to it.
func (e event) pairs(serial []byte) []pair {
	created := be64(uint64(e.created))
	return []pair{
		{key(prefixEvent, serial), e.text},
		{e.placed(), serial},
		{key(prefixCreated, created, serial), nil},
		{key(prefixKind, be16(kindNote), created, serial), nil},
		{key(prefixAuthor, e.author[:8], created, serial), nil},
		{key(prefixAuthKind, e.author[:8], be16(kindNote), created, serial), nil},
		{key(prefixTagT, topic, created, serial), nil},
		{key(prefixTagE, hashed(fmt.Sprintf("ref_%d", e.ref)), created, serial), nil},
		{key(prefixTagKind, be16(kindNote), topic, created, serial), nil},
	}
}

// eventStore keeps events as the note's relay does, and counts what it is asked and what it checked.
type eventStore struct {
	db      *badger.DB
	serial  atomic.Uint64
	gets    atomic.Uint64
	seeks   atomic.Uint64
	saved   atomic.Uint64
	checked atomic.Uint64
}

var errWrong = errors.New("a value that was read is not the one that was written")

func key(prefix byte, parts ...[]byte) []byte {
	return append([]byte{prefix}, bytes.Join(parts, nil)...)
}

func be64(value uint64) []byte { return binary.BigEndian.AppendUint64(nil, value) }
func be16(value uint16) []byte { return binary.BigEndian.AppendUint16(nil, value) }

// hashed is the name of a referred event as the index holds it: 8 bytes, so that names lie in no order of theirs.
func hashed(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:8]
}

// known looks for an id with an iterator that is set on the place where the id must be, as the relay does; so a block is
// read although no key is found, which a Get with its Bloom filter would avoid. Unlike the relay's, the iterator does not
// fetch a hundred values ahead: that would measure Go's scheduler.
func (s *eventStore) known(id []byte) (bool, error) {
	found := false
	err := s.db.View(func(txn *badger.Txn) error {
		entries := txn.NewIterator(badger.IteratorOptions{})
		defer entries.Close()
		s.seeks.Add(1)
		entries.Seek(id)
		found = entries.ValidForPrefix(id)
		return nil
	})
	return found, err
}

// deleted looks backwards for a deletion that names the event, as the relay does before it saves one; there is none.
func (s *eventStore) deleted(e event) (bool, error) {
	place := e.naming()
	found := false
	err := s.db.View(func(txn *badger.Txn) error {
		entries := txn.NewIterator(badger.IteratorOptions{Reverse: true})
		defer entries.Close()
		s.seeks.Add(1)
		entries.Seek(append(bytes.Clone(place), bytes.Repeat([]byte{0xff}, 16)...))
		found = entries.ValidForPrefix(place)
		return nil
	})
	return found, err
}

// save stores one event and its eight index keys in one transaction, unless its id is stored or deleted already.
func (s *eventStore) save(e event) error {
	for _, look := range []func() (bool, error){
		func() (bool, error) { return s.known(e.placed()) }, func() (bool, error) { return s.deleted(e) },
	} {
		if found, err := look(); err != nil {
			return err
		} else if found {
			return e.refused()
		}
	}
	pairs := e.pairs(be64(s.serial.Add(1)))
	err := s.db.Update(func(txn *badger.Txn) error {
		for _, each := range pairs {
			if err := txn.Set(each.key, each.value); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.saved.Add(1)
	}
	return err
}

// filter asks for events: an index prefix, a number of events, and the time from which on. kind and topic say the same
// as the prefix to a store whose indexes are other ones.
type filter struct {
	prefix []byte
	kind   bool
	topic  bool
	limit  int
	since  int64
	fetch  bool                // read the events too, not their serial numbers alone
	seen   func(created int64) // is told of each event that was read; nil for nobody
}

// read checks an event that answers, and tells who wants to know.
func (f filter) read(text, created []byte) error {
	if f.seen != nil {
		f.seen(int64(binary.BigEndian.Uint64(created)))
	}
	return intact(text, created)
}

func filterKind(limit int, fetch bool) filter {
	return filter{prefix: key(prefixKind, be16(kindNote)), kind: true, limit: limit, fetch: fetch}
}

func filterTopic(limit int) filter {
	return filter{prefix: key(prefixTagT, topic), topic: true, limit: limit, fetch: true}
}

func filterKindTopic(limit int) filter {
	return filter{prefix: key(prefixTagKind, be16(kindNote), topic), kind: true, topic: true, limit: limit, fetch: true}
}

func filterSince(since int64, limit int) filter {
	return filter{prefix: key(prefixCreated), limit: limit, since: since, fetch: true}
}

// query finds the newest events of a filter and checks each that it reads; it returns how many it found.
func (s *eventStore) query(asked filter) (int, error) {
	found := 0
	err := s.db.View(func(txn *badger.Txn) error {
		iteration := badger.DefaultIteratorOptions
		iteration.PrefetchValues = false
		iteration.Reverse = true
		iteration.Prefix = asked.prefix
		entries := txn.NewIterator(iteration)
		defer entries.Close()
		s.seeks.Add(1)
		for entries.Seek(append(bytes.Clone(asked.prefix), 0xff)); entries.Valid() && found < asked.limit; entries.Next() {
			indexed := entries.Item().Key()
			tail := indexed[len(indexed)-16:]
			if int64(binary.BigEndian.Uint64(tail[:8])) < asked.since {
				break
			}
			found++
			if !asked.fetch {
				continue
			}
			s.gets.Add(1)
			item, err := txn.Get(key(prefixEvent, tail[8:]))
			if err != nil {
				return fmt.Errorf("an index key leads to no event: %w", err)
			}
			if err := item.Value(func(text []byte) error {
				s.checked.Add(1)
				return asked.read(text, tail[:8])
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// intact compares a stored event with its own id: the signature and the time must be the ones written.
func intact(text, created []byte) error {
	const start = len(`{"id":"`)
	if len(text) < start+64 {
		return errWrong
	}
	id, err := hex.DecodeString(string(text[start : start+64]))
	if err != nil {
		return errWrong
	}
	signature := sha256.Sum256(id)
	stamp := fmt.Appendf(nil, `"created_at":%d,`, binary.BigEndian.Uint64(created))
	if !bytes.HasSuffix(text, fmt.Appendf(nil, `"sig":"%x%x"}`, signature, id)) || !bytes.Contains(text, stamp) {
		return errWrong
	}
	return nil
}

// countKeys counts all keys of the store and compares them with what was saved. It reads through the caches, so it
// comes after the last counter.
func (s *eventStore) countKeys() (uint64, error) {
	count := uint64(0)
	err := s.db.View(func(txn *badger.Txn) error {
		iteration := badger.DefaultIteratorOptions
		iteration.PrefetchValues = false
		entries := txn.NewIterator(iteration)
		defer entries.Close()
		for entries.Rewind(); entries.Valid(); entries.Next() {
			count++
		}
		return nil
	})
	if err == nil && count != keysPerEvent*s.saved.Load() {
		err = fmt.Errorf("%d keys are stored for %d events: %w", count, s.saved.Load(), errWrong)
	}
	return count, err
}

func now() int64 { return time.Now().Unix() }
