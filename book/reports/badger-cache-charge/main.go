// Badger charges its block cache for a block that is not compressed what its table holds from there on.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

const rows, lookups = 40_000, 40_000

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func key(i int) []byte { return fmt.Appendf(nil, "row-%08d", i) }

func try(name string, compression options.CompressionType, cache int64) {
	folder, err := os.MkdirTemp("", "badger-charge-")
	must(err)
	defer os.RemoveAll(folder)
	opt := badger.DefaultOptions(folder).WithLogger(nil).WithCompression(compression).WithBlockCacheSize(cache)
	random := rand.New(rand.NewSource(1))
	db, err := badger.Open(opt)
	must(err)
	batch := db.NewWriteBatch()
	for i := range rows {
		value := make([]byte, 500)
		random.Read(value)
		must(batch.Set(key(i), value))
	}
	must(batch.Flush())
	must(db.Close()) // writes the memtable into a table
	db, err = badger.Open(opt)
	must(err)
	for range lookups {
		must(db.View(func(txn *badger.Txn) error { _, err := txn.Get(key(random.Intn(rows))); return err }))
	}
	tables, m := db.Tables(), db.BlockCacheMetrics()
	charge := float64(m.CostAdded()) / float64(m.KeysAdded())
	fmt.Printf("%-6s %4d MiB, %d table of %.1f MB: %7.1f kB a block, %4.1f %% hits\n",
		name, cache>>20, len(tables), float64(tables[0].OnDiskSize)/1e6, charge/1e3, 100*m.Ratio())
	must(db.Close())
}

func main() {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/dgraph-io/badger/v4" {
			which := map[bool]string{false: "as it is", true: "with fix.diff"}[module.Replace != nil]
			fmt.Printf("Badger %s %s: compression, cache, charge, hits\n", module.Version, which)
		}
	}
	try("none", options.None, 64<<20)
	try("none", options.None, 1024<<20)
	try("Snappy", options.Snappy, 64<<20)
}
