package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	badger "github.com/dgraph-io/badger/v4"
)

const long = `"for_ns": 1000000000000`

func inTurns(asked object) { asked["turns"] = true }

func line(fields string) string { return `{"turn": {` + fields + "}}\n" }

func TestTurnsKeepWhatIsNotDiscarded(t *testing.T) {
	lines := line(long+`, "operations": 400`) + line(long+`, "operations": 400, "discard_ns": 1`) +
		line(long+`, "operations": 400, "discard_ns": 1000000000000`) + line(`"for_ns": 1`) + `{"end": true}` + "\nnot read"
	answers, samples, prose, code := converse(t, lines, inTurns)
	if code != 0 || len(answers) != 6 {
		t.Fatalf("exit %d, %d lines: %s", code, len(answers), prose)
	}
	if answers[0]["ready"] != true || answers[0]["protocol"] != 2.0 {
		t.Errorf("ready: %v", answers[0])
	}
	// Two workers: the first look-up of each begins before anything was measured.
	kept, measured := 0.0, 0.0
	for place, wanted := range []struct{ kept, all float64 }{{400, 400}, {398, 400}, {0, 400}, {2, 2}} {
		one := answers[place+1]["turn"].(object)
		if one["operations"] != wanted.kept || one["samples"] != wanted.kept || one["all_operations"] != wanted.all {
			t.Errorf("turn %d: %v", place, one)
		}
		if one["measured_ns"].(float64) > one["all_ns"].(float64) || one["all_ns"].(float64) <= 0 {
			t.Errorf("turn %d: %v", place, one)
		}
		kept += wanted.kept
		measured += one["measured_ns"].(float64)
	}
	last := answers[5]
	run := last["counters"].(object)["run"].(object)
	if run["operations"] != kept || run["asked"] != 1202.0 || run["checked_reads"] != 1202.0 || run["measured_ns"] != measured {
		t.Errorf("the whole run: %v", run)
	}
	if len(samples) != 2*8*int(kept) || last["checked_reads"] != 1302.0 || len(last["turns"].([]any)) != 4 {
		t.Errorf("%d bytes of samples, %v reads, turns %v", len(samples), last["checked_reads"], last["turns"])
	}
}

func TestTurnsEndWithTheInput(t *testing.T) {
	answers, samples, prose, code := converse(t, "", inTurns)
	if code != 0 || len(answers) != 2 || len(samples) != 0 || len(answers[1]["turns"].([]any)) != 0 {
		t.Errorf("exit %d, %v: %s", code, answers, prose)
	}
	single, _, _, _ := ask(t, func(object) {})
	if _, told := single["turns"]; told {
		t.Error("a run at once tells of turns")
	}
}

func TestTurnsAskTogetherForWhatOneRunAsksFor(t *testing.T) {
	db, err := badger.Open(badger.DefaultOptions(t.TempDir()).WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	load, run := getsLoad{Keys: 500, ValueBytes: 16}, getsRun{Law: "zipf", Exponent: 0.9, Workers: 1}
	if err := loadKeys(db, load); err != nil {
		t.Fatal(err)
	}
	asked := func(parts ...int) []int64 {
		source, err := run.draws(load, 7, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := []int64{}
		recorded := func() (int64, bool) {
			number, more := source()
			seen = append(seen, number)
			return number, more
		}
		for _, part := range parts {
			if _, err := run.askAll(db, []keys{recorded}, limit{operations: part}, load.ValueBytes, nil); err != nil {
				t.Fatal(err)
			}
		}
		return seen
	}
	if whole := asked(300); len(whole) != 300 || !slices.Equal(whole, asked(100, 1, 199)) {
		t.Error("the turns asked for other keys")
	}
}

func TestWhatIsNoTurnIsRefused(t *testing.T) {
	for _, text := range []string{
		"go", "[]", "", "{}", `{"turn": 5}`, `{"end": false}`, `{"end": 1}`, `{"end": true, "turn": {"for_ns": 5}}`,
		`{"turn": {"for_ns": 5}, "then": 1}`, `{"turn": {}}`, `{"turn": {"for_ns": -1}}`, `{"turn": {"for_ns": 5.5}}`,
		`{"turn": {"for_ns": 5, "discard": 1}}`, `{"turn": {"for_ns": 5, "operations": "all"}}`,
		`{"turn": {"for_ns": 5, "discard_ns": -1}}`, `{"turn": {"for_ns": 5}} {}`,
	} {
		found, err := readTurn(bufio.NewReader(strings.NewReader(text + "\n")))
		if _, wrong := err.(refusal); !wrong || found != nil {
			t.Errorf("%q: %v, %v", text, found, err)
		}
	}
	if _, samples, prose, code := converse(t, "go\n", inTurns); code != refused || samples != nil || !strings.Contains(prose, "turn") {
		t.Errorf("exit %d, %d bytes of samples: %q", code, len(samples), prose)
	}
}

func TestARequestForTurnsStandsOnOneLine(t *testing.T) {
	for _, turns := range []bool{false, true} {
		asked := object{"protocol": protocolVersion, "folder": t.TempDir(), "samples": t.TempDir() + "/samples", "workload": "gets", "turns": turns}
		text, err := json.MarshalIndent(asked, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		_, err = readRequest(strings.NewReader(string(text)))
		if turns != (err != nil && strings.Contains(fmt.Sprint(err), "one line")) {
			t.Errorf("turns %v: %v", turns, err)
		}
	}
}
