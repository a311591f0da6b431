package main

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
)

// keys gives the key numbers of one worker.
type keys func() (int64, bool)

func (r getsRun) draws(load getsLoad, seed uint64, worker int) (keys, error) {
	random := rand.New(rand.NewPCG(seed, uint64(worker)))
	scattered := newScatter(load.Keys, seed)
	var law draw
	switch r.Law {
	case "uniform":
		law = uniform{load.Keys}
	case "zipf":
		law = newZipf(load.Keys, r.Exponent)
	case "hot_set":
		law = hotSet{load.Keys, r.HotKeys, r.HotShare}
	case "trace":
		return traced(r.Trace, load.Keys)
	}
	return func() (int64, bool) { return scattered.key(law.next(random)), true }, nil
}

func traced(path string, n int64) (keys, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, refuse("the trace cannot be read: %v", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	numbers := []int64{}
	for lines.Scan() {
		number, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil || number < 0 || number >= n {
			return nil, refuse("line %d of the trace is no key number below %d", len(numbers)+1, n)
		}
		numbers = append(numbers, number)
	}
	place := 0
	return func() (int64, bool) {
		if place == len(numbers) {
			return 0, false
		}
		place++
		return numbers[place-1], true
	}, nil
}
