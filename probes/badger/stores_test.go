//go:build stores

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble"
)

func storesRequest(engine string, synced bool) func(object) {
	return func(asked object) {
		asked["workload"] = "stores"
		asked["options"] = object{}
		asked["load"] = object{
			"events": 200, "engine": engine, "synced": synced, "query_cache": false, "cache_bytes": 8 << 20,
		}
		asked["run"] = object{
			"workers": 2, "rounds": 1, "tests": []string{"alone", "peak", "burst", "mixed", "query", "concurrent"},
			"alone_events": 20, "limit_s": 20, "bursts": 10, "burst_spread_ms": 5, "burst_quiet_ms": 1, "mixed_seeded": 20,
			"mixed_operations": 20, "query_seeded": 100, "query_s": 0.2, "concurrent_seeded": 20, "concurrent_s": 0.2,
			"pause_s": 0,
		}
	}
}

func TestStoresSaveTheSameAndAnswerAlike(t *testing.T) {
	names := []string{"sqlite_tags", "sqlite_journal"}
	for _, each := range engines {
		names = append(names, each.name)
	}
	for _, name := range names {
		for _, synced := range []bool{false, true} {
			if name == "sqlite_journal" && !synced {
				continue
			}
			answer, samples, prose, code := ask(t, storesRequest(name, synced))
			if code != 0 {
				t.Fatalf("%s, synced %v: exit %d: %s", name, synced, code, prose)
			}
			counters := answer["counters"].(object)
			burst := counters["round_1.burst"].(object)
			if burst["saved_events"] != 420.0 || burst["most_under_way"].(float64) < 1 || len(samples) == 0 {
				t.Errorf("%s: %v events saved, %v under way", name, burst["saved_events"], burst["most_under_way"])
			}
			if answer["settings"].(object)["synced"] != synced || answer["checked_reads"].(float64) < 500 {
				t.Errorf("%s: %v, %v reads checked", name, answer["settings"], answer["checked_reads"])
			}
			device, ok := counters["start"].(object)["device"].(object)
			if after := counters["round_1.alone"].(object)["device"]; synced && ok && device["flushes"].(float64) > 0 {
				if more := after.(object)["flushes"].(float64) - device["flushes"].(float64); more < 20 {
					t.Errorf("%s flushed %v times for 20 saves", name, more)
				}
			}
		}
	}
}

func TestStoresRefuseAnEventThatIsStoredAndNoticeOneThatIsChanged(t *testing.T) {
	for _, name := range []string{"badger", "sqlite", "sqlite_tags", "lmdb", "bbolt", "pebble"} {
		chosen, err := known(name)
		if err != nil {
			t.Fatal(err)
		}
		store, err := chosen.open(request{Folder: t.TempDir()}, storesLoad{Engine: name, CacheBytes: 8 << 20})
		if err != nil {
			t.Fatal(name, err)
		}
		one := makeEvent(1, 1, 1, 1000)
		if err := store.save(one); err != nil {
			t.Fatal(name, err)
		}
		if err := store.save(one); err == nil || !strings.Contains(err.Error(), "stored already") {
			t.Errorf("%s saved an event twice: %v", name, err)
		}
		for number := 2; number <= 40; number++ {
			if err := store.save(makeEvent(1, 1, number, int64(1000+number))); err != nil {
				t.Fatal(name, err)
			}
		}
		asked := []filter{filterKind(10, true), filterTopic(10), filterKindTopic(10), filterKind(10, false)}
		for _, each := range asked {
			if found, err := store.query(each); err != nil || found != 10 {
				t.Errorf("%s: %d events, %v", name, found, err)
			}
		}
		if found, err := store.query(filterSince(1036, 100)); err != nil || found != 5 {
			t.Errorf("%s: %d events since 1036, %v", name, found, err)
		}
		if count, err := store.count(); err != nil || count != 40*store.each {
			t.Errorf("%s holds %d entries, %v", name, count, err)
		}
		damaged := makeEvent(1, 1, 99, 2000)
		damaged.text = []byte(strings.Replace(string(damaged.text), `"sig":"`, `"sig":"0`, 1))
		if name == "sqlite" { // its text is put together from columns
			continue
		}
		if err := store.save(damaged); err != nil {
			t.Fatal(name, err)
		}
		if _, err := store.query(filterKind(1, true)); err == nil {
			t.Errorf("%s: a changed event was not noticed", name)
		}
		if err := store.close(); err != nil {
			t.Error(name, err)
		}
	}
}

func TestStoresRefuseWhatTheyDoNotKnow(t *testing.T) {
	for _, change := range []func(object){
		func(asked object) { asked["load"].(object)["engine"] = "leveldb" },
		func(asked object) { asked["load"].(object)["cache_bytes"] = 1 },
		func(asked object) { asked["run"].(object)["rounds"] = 2 },
		func(asked object) { asked["run"].(object)["alone_events"] = 10 },
		func(asked object) { asked["load"].(object)["same_time"] = true },
	} {
		_, _, prose, code := ask(t, func(asked object) { storesRequest("bbolt", false)(asked); change(asked) })
		if code != refused {
			t.Errorf("exit %d: %s", code, prose)
		}
	}
	_, _, prose, code := ask(t, storesRequest("sqlite_journal", false))
	if code != refused {
		t.Errorf("exit %d: %s", code, prose)
	}
}

func TestStoresAnswersAreKeptUntilASave(t *testing.T) {
	chosen, _ := known("bbolt")
	store, err := chosen.open(request{Folder: t.TempDir()}, storesLoad{Engine: "bbolt"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.close()
	kept := &queryCache{keeper: store.keeper}
	for number := 1; number <= 3; number++ {
		if err := kept.save(makeEvent(1, 1, number, int64(number))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if found, err := kept.query(filterKind(10, true)); err != nil || found != number {
				t.Errorf("%d events after %d saves: %v", found, number, err)
			}
		}
	}
	if kept.hits.Load() != 3 || kept.misses.Load() != 3 {
		t.Errorf("%d hits, %d misses", kept.hits.Load(), kept.misses.Load())
	}
}

// A store that loses an event is noticed, by its answers and by its count.
func TestStoresThatLoseAnEventAreNoticed(t *testing.T) {
	folder := t.TempDir()
	store, err := openPebble(request{Folder: folder}, storesLoad{Engine: "pebble", CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer store.close()
	trial := &storeTrial{opened: store, folder: filepath.Dir(folder)}
	trial.suite = &suite{store: store.keeper, started: 1000}
	for _, each := range trial.events(40) {
		if err := store.save(each); err != nil {
			t.Fatal(err)
		}
	}
	if err := trial.exact(); err != nil {
		t.Fatal(err)
	}
	db := store.keeper.(*keyed).ordered.(*pebbleStore).db
	lost := key(prefixKind, be16(kindNote), be64(1035), be64(35))
	if err := db.Delete(lost, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	if err := trial.exact(); err == nil {
		t.Error("a lost event was not noticed")
	}
}
