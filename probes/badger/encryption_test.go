package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// indexLookups are hits and misses of the index cache among the look-ups that a request measures.
func indexLookups(t *testing.T, answer object) float64 {
	t.Helper()
	total := func(phase string) float64 {
		cache := answer["counters"].(object)[phase].(object)["index_cache"].(object)
		return cache["hits"].(float64) + cache["misses"].(float64)
	}
	return total("run") - total("warm")
}

func TestOnlyAnEncryptedStoreIsAskedForInTheIndexCache(t *testing.T) {
	for keyBytes, asked := range map[int]bool{0: false, 16: true, 32: true} {
		folder := t.TempDir()
		options := object{"compression": "none", "index_cache_bytes": 1 << 20, "encryption_key_bytes": keyBytes}
		change := func(asked object) { asked["folder"], asked["options"] = folder, options }
		if _, _, prose, code := ask(t, change); code != 0 {
			t.Fatalf("key of %d bytes: exit %d: %s", keyBytes, code, prose)
		}
		options["read_only"] = true
		answer, _, prose, code := ask(t, change)
		if code != 0 || answer["checked_reads"] != 1100.0 {
			t.Fatalf("key of %d bytes: exit %d, checked %v: %s", keyBytes, code, answer["checked_reads"], prose)
		}
		if answer["settings"].(object)["encryption_key_bytes"] != float64(keyBytes) {
			t.Errorf("settings %v", answer["settings"])
		}
		if found := indexLookups(t, answer); (found > 0) != asked {
			t.Errorf("key of %d bytes: %v look-ups in the index cache", keyBytes, found)
		}
		if found := holds(t, folder, valueOf(7, 100)); found == asked {
			t.Errorf("key of %d bytes: a value stands in the files as it is: %v", keyBytes, found)
		}
	}
}

// holds says whether a table of a store has these bytes in it.
func holds(t *testing.T, folder string, wanted []byte) bool {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	for _, table := range tables {
		content, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, wanted) {
			return true
		}
	}
	return false
}
