//go:build stores

package main

import (
	"sync"
	"sync/atomic"
)

// queryCache keeps how many events answer each filter until the next one is saved: the most that a cache of decoded
// results can give, since it holds and copies none of them.
type queryCache struct {
	keeper
	mutex        sync.RWMutex
	answers      map[filterKey]int
	generation   uint64 // of the saves; an answer that was found before one is not kept
	hits, misses atomic.Uint64
}

// filterKey is a filter without what cannot be compared.
type filterKey struct {
	kind, topic, fetch bool
	limit              int
	since              int64
}

func (c *queryCache) save(e event) error {
	err := c.keeper.save(e)
	c.mutex.Lock()
	c.generation++
	clear(c.answers)
	c.mutex.Unlock()
	return err
}

func (c *queryCache) query(asked filter) (int, error) {
	name := filterKey{asked.kind, asked.topic, asked.fetch, asked.limit, asked.since}
	c.mutex.RLock()
	kept, found := c.answers[name]
	before := c.generation
	c.mutex.RUnlock()
	if found {
		c.hits.Add(1)
		return kept, nil
	}
	c.misses.Add(1)
	answer, err := c.keeper.query(asked)
	if err != nil {
		return 0, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.generation == before {
		if c.answers == nil {
			c.answers = map[filterKey]int{}
		}
		c.answers[name] = answer
	}
	return answer, nil
}
