"""Views of extensions that look into a server: where they are, if the role may read them."""

from __future__ import annotations

from psycopg import sql

from benchbook.engines.own_server.service import Connection, one

_EXTENSION = """
    SELECT n.nspname FROM pg_extension e
    JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    JOIN pg_class c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND c.relname = e.extname
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE e.extname = %(name)s AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
      AND NOT EXISTS (
          SELECT FROM pg_depend f JOIN pg_proc p ON f.classid = 'pg_proc'::regclass AND f.objid = p.oid
          WHERE f.refclassid = 'pg_extension'::regclass AND f.refobjid = e.oid AND p.proname = %(behind)s
            AND NOT has_function_privilege(p.oid, 'EXECUTE'))
"""
_BEHIND = {"pg_buffercache": "pg_buffercache_pages", "pg_stat_statements": "pg_stat_statements"}
"""View of an extension, and the function that it asks with the caller's rights."""


def view(connection: Connection, extension: str) -> sql.Identifier | None:
    """An extension's view of the same name, with its schema; None where there is none that the role may read."""
    found = one(connection, _EXTENSION, {"name": extension, "behind": _BEHIND[extension]})
    return None if found is None else sql.Identifier(str(found[0]), extension)


def installed(connection: Connection, extension: str) -> bool:
    """Whether the database has it, for whatever role."""
    return one(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", (extension,)) is not None
