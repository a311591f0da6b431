//! redb behind functions of C, for the probe's engine of that name; what each does is said in redb_c.h.

use std::ffi::{c_char, c_int, CStr, CString};
use std::fmt::Display;
use std::fs::OpenOptions;
use std::{io, slice};

use redb::backends::FileBackend;
use redb::{AccessGuard, Builder, Database, ReadOnlyTable, ReadableDatabase, StorageBackend, TableDefinition};

const ROWS: TableDefinition<u64, &[u8]> = TableDefinition::new("rows");
const VERSION: &str = concat!(env!("REDB_VERSION"), "\0");

/// A file whose commits are handed to the kernel and wait for no device: they outlive the process, not the machine.
#[derive(Debug)]
struct Unsynced(FileBackend);

impl StorageBackend for Unsynced {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }
    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }
    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
    fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}

/// The fields are dropped in this order: what was read, the transaction that it was read in, then the store.
pub struct Store {
    found: Option<AccessGuard<'static, &'static [u8]>>,
    reading: Option<ReadOnlyTable<u64, &'static [u8]>>,
    database: Database,
    hold: bool,
    error: CString,
}

#[repr(C)]
pub struct Row {
    key: u64,
    value: *const u8,
    length: usize,
}

#[repr(C)]
#[derive(Default)]
pub struct Counts {
    tree_height: u64,
    leaf_pages: u64,
    branch_pages: u64,
    allocated_pages: u64,
    stored_bytes: u64,
    page_bytes: u64,
}

type Done<T> = Result<T, redb::Error>;

fn opened(path: &CStr, cache_bytes: usize, sync: bool) -> Result<Database, Box<dyn std::error::Error>> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path.to_str()?)?;
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    let file = FileBackend::new(file)?;
    let database =
        if sync { builder.create_with_backend(file)? } else { builder.create_with_backend(Unsynced(file))? };
    let begun = database.begin_write()?;
    begun.open_table(ROWS)?;
    begun.commit()?;
    Ok(database)
}

impl Store {
    fn table(&mut self) -> Done<&ReadOnlyTable<u64, &'static [u8]>> {
        let table = match self.reading.take() {
            Some(table) => table,
            None => self.database.begin_read()?.open_table(ROWS)?,
        };
        Ok(self.reading.insert(table))
    }

    fn read_once(&mut self) {
        if !self.hold {
            self.reading = None;
        }
    }

    fn write(&mut self, rows: &[Row]) -> Done<c_int> {
        self.found = None;
        self.reading = None;
        let begun = self.database.begin_write()?;
        {
            let mut table = begun.open_table(ROWS)?;
            for row in rows {
                // SAFETY: the caller's rows live until the call returns; an empty one may have no address.
                let value = if row.length == 0 { &[] } else { unsafe { slice::from_raw_parts(row.value, row.length) } };
                table.insert(row.key, value)?;
            }
        }
        begun.commit()?;
        Ok(1)
    }

    fn get(&mut self, key: u64) -> Done<Option<&[u8]>> {
        self.found = None;
        self.found = self.table()?.get(key)?;
        self.read_once();
        Ok(self.found.as_ref().map(AccessGuard::value))
    }

    fn scan(&mut self, from: u64, limit: usize) -> Done<(usize, u64)> {
        let (mut rows, mut bytes) = (0, 0);
        for each in self.table()?.range(from..)?.take(limit) {
            rows += 1;
            bytes += each?.1.value().len() as u64;
        }
        self.read_once();
        Ok((rows, bytes))
    }

    fn count(&mut self) -> Done<Counts> {
        let begun = self.database.begin_write()?;
        let held = begun.stats()?;
        begun.abort()?;
        Ok(Counts {
            tree_height: held.tree_height().into(),
            leaf_pages: held.leaf_pages(),
            branch_pages: held.branch_pages(),
            allocated_pages: held.allocated_pages(),
            stored_bytes: held.stored_bytes(),
            page_bytes: held.page_size() as u64,
        })
    }

    fn failed(&mut self, error: impl Display) -> c_int {
        self.error = CString::new(error.to_string().replace('\0', " ")).unwrap_or_default();
        -1
    }
}

/// # Safety
/// `path` ends with 0; `error` has `room` bytes, at least one.
#[no_mangle]
pub unsafe extern "C" fn redb_c_open(
    path: *const c_char,
    cache_bytes: usize,
    sync: bool,
    hold: bool,
    error: *mut c_char,
    room: usize,
) -> *mut Store {
    match opened(CStr::from_ptr(path), cache_bytes, sync) {
        Ok(database) => {
            let store = Store { found: None, reading: None, database, hold, error: CString::default() };
            Box::into_raw(Box::new(store))
        }
        Err(why) => {
            let words = why.to_string();
            let kept = words.len().min(room - 1);
            error.cast::<u8>().copy_from_nonoverlapping(words.as_ptr(), kept);
            error.add(kept).write(0);
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// `store` is one that was opened; it is gone afterwards.
#[no_mangle]
pub unsafe extern "C" fn redb_c_close(store: *mut Store) {
    drop(Box::from_raw(store));
}

/// # Safety
/// `store` is open; `rows` has `count` of them, each with a value of its length.
#[no_mangle]
pub unsafe extern "C" fn redb_c_write(store: *mut Store, rows: *const Row, count: usize) -> c_int {
    let store = &mut *store;
    store.write(slice::from_raw_parts(rows, count)).unwrap_or_else(|why| store.failed(why))
}

/// # Safety
/// `store` is open; `value` and `length` may be written to.
#[no_mangle]
pub unsafe extern "C" fn redb_c_get(store: *mut Store, key: u64, value: *mut *const u8, length: *mut usize) -> c_int {
    match (*store).get(key) {
        Ok(Some(found)) => {
            *value = found.as_ptr();
            *length = found.len();
            1
        }
        Ok(None) => 0,
        Err(why) => (*store).failed(why),
    }
}

/// # Safety
/// `store` is open; `rows` and `bytes` may be written to.
#[no_mangle]
pub unsafe extern "C" fn redb_c_scan(
    store: *mut Store,
    from: u64,
    limit: usize,
    rows: *mut usize,
    bytes: *mut u64,
) -> c_int {
    match (*store).scan(from, limit) {
        Ok((found, read)) => {
            *rows = found;
            *bytes = read;
            1
        }
        Err(why) => (*store).failed(why),
    }
}

/// # Safety
/// `store` is open.
#[no_mangle]
pub unsafe extern "C" fn redb_c_end_reads(store: *mut Store) {
    (*store).found = None;
    (*store).reading = None;
}

/// # Safety
/// `store` is open; `counts` may be written to.
#[no_mangle]
pub unsafe extern "C" fn redb_c_count(store: *mut Store, counts: *mut Counts) -> c_int {
    match (*store).count() {
        Ok(found) => {
            counts.write(found);
            1
        }
        Err(why) => (*store).failed(why),
    }
}

/// # Safety
/// `store` is open.
#[no_mangle]
pub unsafe extern "C" fn redb_c_error(store: *const Store) -> *const c_char {
    (*store).error.as_ptr()
}

#[no_mangle]
pub extern "C" fn redb_c_version() -> *const c_char {
    VERSION.as_ptr().cast()
}
