package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func readOnly(folder string) func(object) {
	return func(asked object) {
		asked["folder"] = folder
		asked["options"] = object{"compression": "none", "read_only": true}
	}
}

// filled is the folder of a store that an earlier request filled.
func filled(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	_, _, prose, code := ask(t, func(asked object) { asked["folder"] = folder })
	if code != 0 {
		t.Fatalf("exit %d: %s", code, prose)
	}
	return folder
}

func contents(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range entries {
		if found[each.Name()], err = os.ReadFile(filepath.Join(folder, each.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestAStoreThatIsThereIsReadAndNotChanged(t *testing.T) {
	folder := filled(t)
	before := contents(t, folder)
	for range 2 {
		answer, samples, prose, code := ask(t, readOnly(folder))
		if code != 0 || len(samples) != 2*8*1000 {
			t.Fatalf("exit %d, %d bytes of samples: %s", code, len(samples), prose)
		}
		if answer["checked_reads"] != 1100.0 || answer["settings"].(object)["read_only"] != true {
			t.Errorf("checked %v, settings %v", answer["checked_reads"], answer["settings"])
		}
	}
	after := contents(t, folder)
	if len(before) != len(after) {
		t.Errorf("%d files became %d", len(before), len(after))
	}
	for name, content := range before {
		if !bytes.Equal(content, after[name]) {
			t.Errorf("%s changed", name)
		}
	}
}

func TestAStoreOfOtherValuesIsAWrongRead(t *testing.T) {
	folder := filled(t)
	_, _, prose, code := ask(t, func(asked object) {
		readOnly(folder)(asked)
		asked["load"] = object{"keys": 2000, "value_bytes": 101}
	})
	if code != failed || !strings.Contains(prose, errWrong.Error()) {
		t.Errorf("exit %d: %s", code, prose)
	}
}

func TestReadOnlyWithoutAStoreOrForWhatWritesIsRefused(t *testing.T) {
	_, _, prose, code := ask(t, readOnly(t.TempDir()))
	if code != refused || !strings.Contains(prose, "needs a store") {
		t.Errorf("exit %d: %s", code, prose)
	}
	_, _, prose, code = ask(t, func(asked object) {
		readOnly(filled(t))(asked)
		asked["workload"] = "suite"
	})
	if code != refused || !strings.Contains(prose, "needs the workload gets") {
		t.Errorf("exit %d: %s", code, prose)
	}
}

func TestTurnsTellTheirCounters(t *testing.T) {
	lines := line(long+`, "operations": 400`) + line(long+`, "operations": 300`) + `{"end": true}`
	answers, _, prose, code := converse(t, lines, inTurns)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, prose)
	}
	gets := func(place int) float64 {
		return answers[place]["turn"].(object)["counters"].(object)["gets"].(float64)
	}
	if gets(2)-gets(1) != 300 {
		t.Errorf("%v gets, then %v", gets(1), gets(2))
	}
}
