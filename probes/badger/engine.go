package main

import (
	"fmt"
	"os"
	"runtime/debug"

	badger "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

var compressions = map[string]options.CompressionType{
	"none": options.None, "snappy": options.Snappy, "zstd": options.ZSTD,
}

// quiet keeps Badger's own messages off the streams, but for errors and warnings, which are prose.
type quiet struct{}

func (quiet) Errorf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "badger: "+format, values...)
}
func (quiet) Warningf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "badger: "+format, values...)
}
func (quiet) Infof(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}

func badgerOptions(folder string, asked engineOptions) (badger.Options, error) {
	o := badger.DefaultOptions(folder).WithLogger(quiet{})
	o.MetricsEnabled = true
	o.ReadOnly = asked.ReadOnly
	set(&o.BlockCacheSize, asked.BlockCacheBytes)
	set(&o.IndexCacheSize, asked.IndexCacheBytes)
	set(&o.BlockSize, asked.BlockBytes)
	set(&o.BaseTableSize, asked.BaseTableBytes)
	set(&o.MemTableSize, asked.MemTableBytes)
	set(&o.NumMemtables, asked.NumMemtables)
	set(&o.ValueLogFileSize, asked.ValueLogFileBytes)
	set(&o.SyncWrites, asked.SyncWrites)
	set(&o.CompactL0OnClose, asked.CompactL0OnClose)
	set(&o.DetectConflicts, asked.DetectConflicts)
	set(&o.ValueThreshold, asked.ValueThresholdBytes)
	if asked.Compression != nil {
		kind, known := compressions[*asked.Compression]
		if !known {
			return o, refuse("options.compression is %q: use none, snappy or zstd", *asked.Compression)
		}
		o.Compression = kind
	}
	if o.BlockCacheSize < 0 || o.IndexCacheSize < 0 {
		return o, refuse("a cache cannot have a negative size")
	}
	if o.Compression != options.None && o.BlockCacheSize == 0 {
		return o, refuse("Badger needs a block cache when blocks are compressed")
	}
	err := encrypt(&o, asked.EncryptionKeyBytes)
	return o, err
}

// encrypt sets a key of this length; the same length is always the same key, so that a store can be opened again.
func encrypt(o *badger.Options, keyBytes int) error {
	switch keyBytes {
	case 0:
		return nil
	case 16, 24, 32:
	default:
		return refuse("options.encryption_key_bytes is %d: use 16, 24 or 32, or 0 for none", keyBytes)
	}
	if o.BlockCacheSize == 0 || o.IndexCacheSize == 0 { // Badger would panic, without an index cache at its first table
		return refuse("Badger needs a block cache and an index cache when a store is encrypted")
	}
	o.EncryptionKey = make([]byte, keyBytes)
	for place := range o.EncryptionKey {
		o.EncryptionKey[place] = byte(place + 1)
	}
	return nil
}

func set[T any](target *T, value *T) {
	if value != nil {
		*target = *value
	}
}

// settings are the options as Badger holds them, and those of its defaults that the notes speak of.
func settings(o badger.Options) map[string]any {
	defaults := badger.DefaultOptions("")
	return map[string]any{
		"block_cache_bytes":         o.BlockCacheSize,
		"index_cache_bytes":         o.IndexCacheSize,
		"block_bytes":               o.BlockSize,
		"base_table_bytes":          o.BaseTableSize,
		"mem_table_bytes":           o.MemTableSize,
		"num_memtables":             o.NumMemtables,
		"value_log_file_bytes":      o.ValueLogFileSize,
		"value_threshold_bytes":     o.ValueThreshold,
		"compression":               compressionName(o.Compression),
		"sync_writes":               o.SyncWrites,
		"compact_l0_on_close":       o.CompactL0OnClose,
		"detect_conflicts":          o.DetectConflicts,
		"read_only":                 o.ReadOnly,
		"encryption_key_bytes":      len(o.EncryptionKey),
		"default_block_cache_bytes": defaults.BlockCacheSize,
		"default_index_cache_bytes": defaults.IndexCacheSize,
		"default_compression":       compressionName(defaults.Compression),
	}
}

func compressionName(kind options.CompressionType) string {
	for name, each := range compressions {
		if each == kind {
			return name
		}
	}
	return fmt.Sprint(kind)
}

// change says what was changed in a Badger that was not taken as it is; set by the linker.
var change string

// versions is what the program says of the engines in it.
var versions = engineVersion

// engineVersion is the version of Badger that this program was built with, as the build itself recorded it.
func engineVersion() string {
	module := built("github.com/dgraph-io/badger/v4")
	switch {
	case module == nil:
		return "unknown"
	case module.Replace == nil:
		return module.Version
	case change == "":
		return module.Version + ", changed in an unknown way"
	}
	return module.Version + ", changed: " + change
}

// built is a module that this program was built with; nil for none.
func built(path string) *debug.Module {
	info, found := debug.ReadBuildInfo()
	if !found {
		return nil
	}
	for _, module := range info.Deps {
		if module.Path == path {
			return module
		}
	}
	return nil
}
