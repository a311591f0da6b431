package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	badger "github.com/dgraph-io/badger/v4"
)

var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "badger-probe-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(folder, "probe")
	arguments := []string{"build", "-o", program}
	if modfile := os.Getenv("PROBE_MODFILE"); modfile != "" {
		arguments = append(arguments, "-modfile="+modfile)
	}
	if tags := os.Getenv("PROBE_TAGS"); tags != "" {
		arguments = append(arguments, "-tags", tags)
	}
	if output, err := exec.Command("go", append(arguments, ".")...).CombinedOutput(); err != nil {
		panic(string(output))
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

type object = map[string]any

func ask(t *testing.T, change func(object)) (object, []byte, string, int) {
	t.Helper()
	answers, samples, prose, code := converse(t, "", change)
	if len(answers) == 0 {
		return object{}, samples, prose, code
	}
	return answers[len(answers)-1], samples, prose, code
}

// converse sends a request and the lines behind it, and gives back every line of the answer.
func converse(t *testing.T, lines string, change func(object)) ([]object, []byte, string, int) {
	t.Helper()
	folder := t.TempDir()
	store := filepath.Join(folder, "store")
	if err := os.Mkdir(store, 0o755); err != nil {
		t.Fatal(err)
	}
	asked := object{
		"protocol": 2, "folder": store, "samples": filepath.Join(folder, "samples"), "seed": 5, "workload": "gets",
		"options": object{"compression": "none"},
		"load":    object{"keys": 2000, "value_bytes": 100},
		"run":     object{"law": "zipf", "exponent": 0.99, "warm_operations": 100, "operations": 1000, "workers": 2},
	}
	change(asked)
	text, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Stdin = strings.NewReader(string(text) + "\n" + lines)
	var output, prose bytes.Buffer
	command.Stdout, command.Stderr = &output, &prose
	err = command.Run()
	code := command.ProcessState.ExitCode()
	if err != nil && code < 0 {
		t.Fatal(err)
	}
	samples, _ := os.ReadFile(filepath.Join(folder, "samples"))
	answers := []object{}
	if code == 0 {
		for _, line := range strings.Split(strings.TrimSpace(output.String()), "\n") {
			answer := object{}
			if err := json.Unmarshal([]byte(line), &answer); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			answers = append(answers, answer)
		}
	}
	return answers, samples, prose.String(), code
}

func suiteRequest(asked object) {
	asked["workload"] = "suite"
	asked["load"] = object{"events": 200, "same_time": true}
	asked["run"] = object{
		"workers": 2, "rounds": 2, "tests": []string{"peak", "burst", "mixed", "query", "concurrent"}, "limit_s": 20,
		"bursts": 10, "burst_spread_ms": 5, "burst_quiet_ms": 1, "mixed_seeded": 20, "mixed_operations": 20,
		"query_seeded": 100, "query_s": 0.2, "concurrent_seeded": 20, "concurrent_s": 0.2, "pause_s": 0,
	}
}

func TestGetsReadEveryValueAndWriteEverySample(t *testing.T) {
	for _, run := range []object{
		{"law": "uniform"}, {"law": "zipf", "exponent": 1.2}, {"law": "hot_set", "hot_keys": 20, "hot_share": 0.9},
	} {
		run["operations"], run["workers"], run["warm_operations"] = 1000, 2, 100
		answer, samples, prose, code := ask(t, func(asked object) { asked["run"] = run })
		if code != 0 {
			t.Fatalf("exit %d: %s", code, prose)
		}
		if len(samples) != 2*1000*8 || answer["checked_reads"] != 1100.0 {
			t.Errorf("%v: %d bytes of samples, %v reads checked", run["law"], len(samples), answer["checked_reads"])
		}
		for place := 0; place < len(samples); place += 8 {
			if value := binary.LittleEndian.Uint64(samples[place:]); value == 0 || value > 60e9 {
				t.Fatalf("sample %d is %d ns", place/8, value)
			}
		}
	}
}

func TestATraceIsReplayedInItsOrderAndEndsWithIt(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(trace, []byte("1\n2\n3\n1999\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	answer, _, prose, code := ask(t, func(asked object) {
		asked["run"] = object{"law": "trace", "trace": trace, "operations": 100, "workers": 1}
	})
	if code != 0 || answer["checked_reads"] != 4.0 {
		t.Fatalf("exit %d, %v reads: %s", code, answer["checked_reads"], prose)
	}
}

func TestTheSuiteRecordsEveryTestOfEveryRound(t *testing.T) {
	answer, samples, prose, code := ask(t, suiteRequest)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, prose)
	}
	total := 0
	counts := map[string]int{}
	for _, each := range answer["series"].([]any) {
		one := each.(object)
		counts[one["name"].(string)] = int(one["count"].(float64))
		total += int(one["count"].(float64))
	}
	if total*8 != len(samples) {
		t.Errorf("%d samples announced, %d bytes written", total, len(samples))
	}
	for _, name := range []string{"round_1.peak.service", "round_2.burst.response", "round_1.burst.service"} {
		if counts[name] != 200 {
			t.Errorf("%s has %d samples", name, counts[name])
		}
	}
	if counts["round_1.query.service"] == 0 || counts["round_2.concurrent.query.service"] == 0 {
		t.Errorf("the reading tests recorded nothing: %v", counts)
	}
	if answer["checked_reads"].(float64) == 0 {
		t.Error("no value was compared")
	}
	peak := answer["counters"].(object)["round_1.peak"].(object)
	if peak["stored_keys"] != 200.0*keysPerEvent {
		t.Errorf("%v keys after 200 events", peak["stored_keys"])
	}
}

func TestAWrongRequestIsRefusedBeforeAnythingIsOpened(t *testing.T) {
	for text, change := range map[string]func(object){
		"speaks protocol 1":      func(a object) { a["protocol"] = 1 },
		"unknown field":          func(a object) { a["colour"] = "red" },
		"use gets or suite":      func(a object) { a["workload"] = "scan" },
		"use none, snappy":       func(a object) { a["options"] = object{"compression": "lz4"} },
		"cannot have a negative": func(a object) { a["options"] = object{"index_cache_bytes": -1} },
		"needs a block cache":    func(a object) { a["options"] = object{"block_cache_bytes": 0, "compression": "zstd"} },
		"use 16, 24 or 32":       func(a object) { a["options"] = object{"encryption_key_bytes": 15} },
		"and an index cache":     func(a object) { a["options"] = object{"encryption_key_bytes": 16} },
		"load.keys must be":      func(a object) { a["load"] = object{"keys": 0, "value_bytes": 100} },
		"run.law is":             func(a object) { a["run"] = object{"law": "normal", "operations": 1, "workers": 1} },
		"Zipf law needs":         func(a object) { a["run"] = object{"law": "zipf", "operations": 1, "workers": 1} },
		"trace cannot be read":   func(a object) { a["run"] = object{"law": "trace", "trace": "/none", "operations": 1, "workers": 1} },
		"workload gets":          func(a object) { suiteRequest(a); a["turns"] = true },
		"not empty":              func(a object) { os.WriteFile(filepath.Join(a["folder"].(string), "x"), nil, 0o644) },
		"exists already":         func(a object) { os.WriteFile(a["samples"].(string), nil, 0o644) },
	} {
		var store string
		_, _, prose, code := ask(t, func(asked object) { change(asked); store = asked["folder"].(string) })
		if code != refused || !strings.Contains(prose, text) {
			t.Errorf("%s: exit %d, %q", text, code, prose)
		}
		if entries, _ := os.ReadDir(store); len(entries) > 1 {
			t.Errorf("%s: the store was opened", text)
		}
	}
}

func TestAWrongValueIsFound(t *testing.T) {
	db, err := badger.Open(badger.DefaultOptions(t.TempDir()).WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	store := &eventStore{db: db}
	one := makeEvent(1, 1, 1, 1000)
	if err := store.save(one); err != nil {
		t.Fatal(err)
	}
	if found, err := store.query(filterKind(10, true)); err != nil || found != 1 {
		t.Fatalf("found %d, %v", found, err)
	}
	if err := store.save(one); err == nil {
		t.Error("the same event was stored twice")
	}
	err = db.Update(func(txn *badger.Txn) error {
		return txn.Set(key(prefixEvent, be64(1)), bytes.Replace(one.text, []byte("sig"), []byte("gis"), 1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.query(filterKind(10, true)); !errors.Is(err, errWrong) {
		t.Errorf("a changed event passed: %v", err)
	}
	if len(one.text) < 300 || len(one.text) > 420 {
		t.Errorf("an event has %d bytes", len(one.text))
	}
}
