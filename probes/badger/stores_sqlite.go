//go:build stores

package main

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/mattn/go-sqlite3"
)

// sqliteReaders is how many connections read; one more writes, so that no save finds the database locked.
const sqliteReaders = 8

// columns is the schema of khatru's SQLite store: tags stand in a column as JSON, and are searched by LIKE.
const columns = `
CREATE TABLE event (
	id text NOT NULL, pubkey text NOT NULL, created_at integer NOT NULL, kind integer NOT NULL, tags jsonb NOT NULL,
	content text NOT NULL, sig text NOT NULL
);
CREATE UNIQUE INDEX ididx ON event(id);
CREATE INDEX pubkeyprefix ON event(pubkey);
CREATE INDEX timeidx ON event(created_at DESC);
CREATE INDEX kindidx ON event(kind);
CREATE INDEX kindtimeidx ON event(kind, created_at DESC);
`

// tagged keeps tags in a table of their own, with an index that leads from a tag to the newest events.
const tagged = `
CREATE TABLE event (
	number integer PRIMARY KEY, id blob NOT NULL UNIQUE, pubkey blob NOT NULL, created_at integer NOT NULL,
	kind integer NOT NULL, text blob NOT NULL
);
CREATE INDEX by_time ON event(created_at);
CREATE INDEX by_kind ON event(kind, created_at);
CREATE INDEX by_author ON event(pubkey, kind, created_at);
CREATE TABLE tag (name text, value text, kind integer, created_at integer, number integer);
CREATE INDEX by_tag ON tag(name, value, created_at);
CREATE INDEX by_kind_and_tag ON tag(kind, name, value, created_at);
`

type sqliteStore struct {
	writer, reader *sql.DB
	tags           bool
	serial         atomic.Uint64
	put, putTag    *sql.Stmt
}

func sqliteVersion() string {
	version, _, _ := sqlite3.Version()
	return version
}

// openSQLite opens one of three: khatru's schema with a write-ahead log, tags in a table with one, and sqlite_journal,
// which is khatru's schema with SQLite's own defaults, a rollback journal that is synced.
func openSQLite(asked request, load storesLoad) (opened, error) {
	path := "file:" + filepath.Join(asked.Folder, "events.sqlite")
	if load.Engine == "sqlite_journal" {
		if !load.Synced {
			return opened{}, refuse("load.synced must be true for sqlite_journal: it keeps SQLite's defaults")
		}
	} else {
		synchronous := "OFF"
		if load.Synced {
			synchronous = "FULL"
		}
		path += fmt.Sprintf("?_journal_mode=WAL&_synchronous=%s&_cache_size=-%d", synchronous, load.CacheBytes>>10)
	}
	s := &sqliteStore{tags: load.Engine == "sqlite_tags"}
	var err error
	for _, each := range []**sql.DB{&s.writer, &s.reader} {
		if *each, err = sql.Open("sqlite3", path); err != nil {
			return opened{}, err
		}
	}
	s.writer.SetMaxOpenConns(1)
	s.reader.SetMaxOpenConns(sqliteReaders)
	s.reader.SetMaxIdleConns(sqliteReaders)
	schema := columns
	if s.tags {
		schema = tagged
	}
	if _, err := s.writer.Exec(schema); err != nil {
		return opened{}, err
	}
	if err := s.prepare(); err != nil {
		return opened{}, err
	}
	settings, err := s.settings()
	return opened{keeper: s, settings: settings, count: s.count, each: 1, close: s.close}, err
}

// prepare makes the statements of the schema with tags once; khatru's store has its own parsed for each call.
func (s *sqliteStore) prepare() (err error) {
	if !s.tags {
		return nil
	}
	if s.put, err = s.writer.Prepare(
		"INSERT OR IGNORE INTO event (number, id, pubkey, created_at, kind, text) VALUES (?, ?, ?, ?, ?, ?)",
	); err != nil {
		return err
	}
	s.putTag, err = s.writer.Prepare("INSERT INTO tag (name, value, kind, created_at, number) VALUES (?, ?, ?, ?, ?)")
	return err
}

// settings are as the connection that writes has them.
func (s *sqliteStore) settings() (map[string]any, error) {
	found := map[string]any{}
	for _, name := range []string{"journal_mode", "synchronous", "cache_size", "page_size"} {
		var value any
		if err := s.writer.QueryRow("PRAGMA " + name).Scan(&value); err != nil {
			return nil, err
		}
		if text, is := value.([]byte); is {
			value = string(text)
		}
		found[name] = value
	}
	return found, nil
}

func (s *sqliteStore) save(e event) error {
	if s.tags {
		return s.saveTagged(e)
	}
	stored, err := s.writer.Exec(
		"INSERT OR IGNORE INTO event (id, pubkey, created_at, kind, tags, content, sig) VALUES (?, ?, ?, ?, ?, ?, ?)",
		hex.EncodeToString(e.id[:]), hex.EncodeToString(e.author[:]), e.created, kindNote,
		e.tags(), e.content(), e.signature(),
	)
	return e.stored(stored, err)
}

func (e event) stored(found sql.Result, err error) error {
	if err != nil {
		return err
	}
	if rows, err := found.RowsAffected(); err != nil {
		return err
	} else if rows == 0 {
		return e.refused()
	}
	return nil
}

func (s *sqliteStore) saveTagged(e event) error {
	txn, err := s.writer.Begin()
	if err != nil {
		return err
	}
	defer txn.Rollback()
	number := s.serial.Add(1)
	found, err := txn.Stmt(s.put).Exec(number, e.id[:], e.author[:], e.created, kindNote, e.text)
	if err := e.stored(found, err); err != nil {
		return err
	}
	for _, tag := range [][2]string{{"t", string(topic)}, {"e", fmt.Sprintf("ref_%d", e.ref)}} {
		if _, err := txn.Stmt(s.putTag).Exec(tag[0], tag[1], kindNote, e.created, number); err != nil {
			return err
		}
	}
	return txn.Commit()
}

func (s *sqliteStore) query(asked filter) (int, error) {
	text, values := s.statement(asked)
	rows, err := s.reader.Query(text, append(values, asked.since, asked.limit)...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	found := 0
	for ; rows.Next(); found++ {
		if !asked.fetch {
			continue
		}
		text, created, err := s.event(rows)
		if err != nil {
			return 0, err
		}
		if err := asked.read(text, be64(uint64(created))); err != nil {
			return 0, err
		}
	}
	return found, rows.Err()
}

// statement asks for the newest events of a filter, or for their numbers alone; since and limit are its last values.
func (s *sqliteStore) statement(asked filter) (string, []any) {
	if s.tags {
		return taggedStatement(asked)
	}
	selected, conditions, values := "rowid", []string{}, []any{}
	if asked.fetch {
		selected = "id, pubkey, created_at, kind, tags, content, sig"
	}
	if asked.kind {
		conditions, values = append(conditions, "kind IN (?)"), append(values, kindNote)
	}
	if asked.topic {
		conditions, values = append(conditions, `tags LIKE ? ESCAPE '\'`), append(values, "%"+string(topic)+"%")
	}
	conditions = append(conditions, "created_at >= ?")
	return "SELECT " + selected + " FROM event WHERE " + strings.Join(conditions, " AND ") +
		" ORDER BY created_at DESC, id LIMIT ?", values
}

func taggedStatement(asked filter) (string, []any) {
	selected := "number"
	if asked.fetch {
		selected = "created_at, text"
	}
	if !asked.topic {
		where, values := "", []any{}
		if asked.kind {
			where, values = "kind = ? AND ", []any{kindNote}
		}
		return "SELECT " + selected + " FROM event WHERE " + where + "created_at >= ? ORDER BY created_at DESC LIMIT ?", values
	}
	where, values := "", []any{string(topic)}
	if asked.kind {
		where, values = "tag.kind = ? AND ", []any{kindNote, string(topic)}
	}
	return "SELECT event." + strings.ReplaceAll(selected, ", ", ", event.") + " FROM tag JOIN event USING (number) WHERE " +
		where + "name = 't' AND value = ? AND tag.created_at >= ? ORDER BY tag.created_at DESC LIMIT ?", values
}

// event is a row as the text that was saved.
func (s *sqliteStore) event(rows *sql.Rows) ([]byte, int64, error) {
	var created int64
	if s.tags {
		var text []byte
		err := rows.Scan(&created, &text)
		return text, created, err
	}
	var id, author, tags, content, signature string
	var kind int
	err := rows.Scan(&id, &author, &created, &kind, &tags, &content, &signature)
	return written(id, author, created, kind, tags, content, signature), created, err
}

func (s *sqliteStore) count() (uint64, error) {
	var count int64
	err := s.reader.QueryRow("SELECT count(*) FROM event").Scan(&count)
	return uint64(count), err
}

func (s *sqliteStore) close() error {
	err := s.reader.Close()
	if closing := s.writer.Close(); err == nil {
		err = closing
	}
	return err
}
