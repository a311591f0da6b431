//go:build stores

package main

import "sync/atomic"

// ordered is an engine of keys in their order, as a store of events needs it.
type ordered interface {
	// has says whether a key begins with this.
	has(prefix []byte) (bool, error)
	// write stores all pairs in one transaction.
	write([]pair) error
	// query reads the entries of a filter's index backwards, and the events that they lead to, and counts them.
	query(filter) (int, error)
	// count is the number of keys.
	count() (uint64, error)
	close() error
}

// keyed keeps events as the relay does, with its keys and its look-ups before a save, on another engine.
type keyed struct {
	ordered
	serial atomic.Uint64
}

func (k *keyed) save(e event) error {
	for _, place := range [][]byte{e.placed(), e.naming()} {
		if found, err := k.has(place); err != nil {
			return err
		} else if found {
			return e.refused()
		}
	}
	return k.write(e.pairs(be64(k.serial.Add(1))))
}

func openedOn(engine ordered, settings map[string]any) opened {
	return opened{keeper: &keyed{ordered: engine}, settings: settings, count: engine.count, each: keysPerEvent, close: engine.close}
}

// behind is the least key behind all that begin with a prefix, none of which is all 255.
func behind(prefix []byte) []byte {
	end := append([]byte{}, prefix...)
	for place := len(end) - 1; place >= 0; place-- {
		if end[place]++; end[place] != 0 {
			return end[:place+1]
		}
	}
	return nil
}

// indexed is what stands at the end of an index key: the time of its event and its serial number.
func indexed(place []byte) (created, serial []byte) {
	tail := place[len(place)-16:]
	return tail[:8], tail[8:]
}

// reading walks an index backwards for one filter.
type reading struct {
	asked filter
	found int
}

// one takes an index key; it says whether the next one is wanted too. text finds an event by its key.
func (r *reading) one(place []byte, text func(key []byte) ([]byte, error)) (bool, error) {
	created, serial := indexed(place)
	if string(created) < string(be64(uint64(max(0, r.asked.since)))) {
		return false, nil
	}
	r.found++
	if r.asked.fetch {
		stored, err := text(key(prefixEvent, serial))
		if err != nil {
			return false, err
		}
		if err := r.asked.read(stored, created); err != nil {
			return false, err
		}
	}
	return r.found < r.asked.limit, nil
}
