package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

const protocolVersion = 2

// request is what the caller asks for; every field must be there, and no other.
type request struct {
	Protocol int             `json:"protocol"`
	Folder   string          `json:"folder"`
	Samples  string          `json:"samples"`
	Seed     int64           `json:"seed"`
	Workload string          `json:"workload"`
	Options  engineOptions   `json:"options"`
	Load     json.RawMessage `json:"load"`
	Run      json.RawMessage `json:"run"`
	Turns    bool            `json:"turns"`
	more     *bufio.Reader   // with turns: what follows the request
}

// engineOptions are Badger's, in bytes and counts; a nil pointer keeps the version's own default.
type engineOptions struct {
	BlockCacheBytes     *int64  `json:"block_cache_bytes"`
	IndexCacheBytes     *int64  `json:"index_cache_bytes"`
	BlockBytes          *int    `json:"block_bytes"`
	BaseTableBytes      *int64  `json:"base_table_bytes"`
	MemTableBytes       *int64  `json:"mem_table_bytes"`
	NumMemtables        *int    `json:"num_memtables"`
	ValueLogFileBytes   *int64  `json:"value_log_file_bytes"`
	Compression         *string `json:"compression"`
	SyncWrites          *bool   `json:"sync_writes"`
	CompactL0OnClose    *bool   `json:"compact_l0_on_close"`
	DetectConflicts     *bool   `json:"detect_conflicts"`
	ValueThresholdBytes *int64  `json:"value_threshold_bytes"`
	ReadOnly            bool    `json:"read_only"`
	EncryptionKeyBytes  int     `json:"encryption_key_bytes"` // 0: not encrypted
}

// refusal is an error in the request: nothing was opened, and the exit code is 4.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

func refuse(format string, values ...any) error { return refusal{fmt.Sprintf(format, values...)} }

func readRequest(input io.Reader) (request, error) {
	asked := request{more: bufio.NewReader(input)}
	content, err := asked.more.ReadBytes('\n')
	oneLine := wantsTurns(content)
	if !oneLine && err == nil {
		var rest []byte
		rest, err = io.ReadAll(asked.more)
		content = append(content, rest...)
	}
	if err != nil && err != io.EOF {
		return asked, refuse("the request cannot be read: %v", err)
	}
	if err := strict(content, &asked); err != nil {
		return asked, refuse("the request is wrong: %v", err)
	}
	if asked.Protocol != protocolVersion {
		return asked, refuse("the request speaks protocol %d, this probe %d: build the probe again", asked.Protocol, protocolVersion)
	}
	if asked.Turns && asked.Workload != "gets" {
		return asked, refuse("turns need the workload gets")
	}
	if asked.Turns && !oneLine {
		return asked, refuse("a request for turns must stand on one line")
	}
	if err := asked.checkFolder(); err != nil {
		return asked, err
	}
	if _, err := os.Lstat(asked.Samples); err == nil || !os.IsNotExist(err) {
		return asked, refuse("the file for the samples exists already, or its folder cannot be read")
	}
	return asked, nil
}

// checkFolder wants a store to read, or room for a new one.
func (r request) checkFolder() error {
	entries, err := os.ReadDir(r.Folder)
	switch {
	case err != nil:
		return refuse("the folder cannot be read: %v", err)
	case r.Options.ReadOnly && r.Workload != "gets":
		return refuse("options.read_only needs the workload gets")
	case r.Options.ReadOnly && len(entries) == 0:
		return refuse("options.read_only needs a store, and the folder is empty")
	case !r.Options.ReadOnly && len(entries) > 0:
		return refuse("the folder is not empty: it holds %q", entries[0].Name())
	}
	return nil
}

// wantsTurns says whether a first line is a whole request after which turns follow.
func wantsTurns(line []byte) bool {
	var asked struct{ Turns any }
	return json.Unmarshal(line, &asked) == nil && asked.Turns == true
}

// strict decodes JSON into a struct and refuses unknown fields and anything behind the object.
func strict(content []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return fmt.Errorf("something follows the object")
	}
	return nil
}
