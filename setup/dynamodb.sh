#!/bin/sh
# Maven Central in, DynamoDB Local unpacked into .tools/dynamodb out, for the tests of the DynamoDB adapter. Its licence is
# Amazon's own; nothing of the book needs it. Every file is one whose SHA-256 setup/dynamodb-files.txt has.
# Assumes Java 17 or newer and Maven.
set -eu
unset CDPATH

cd "$(dirname "$0")/.."
out=$(pwd -P)/.tools/dynamodb
sums=$(pwd -P)/setup/dynamodb-files.txt
version=3.3.1
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1

stop() { printf 'dynamodb: %s\n' "$*" >&2; exit 1; }

[ -f "$out/$version" ] && exit
{ command -v java && command -v mvn; } >/dev/null 2>&1 || stop "there is no java and mvn here; install a JDK of 17 or newer and Maven"
rm -rf "$out" "$out.new" && mkdir -p "$out.new"
cat >"$out.new/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>book</groupId><artifactId>dynamodb</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>software.amazon.dynamodb</groupId><artifactId>DynamoDBLocal</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
mvn --batch-mode --quiet --strict-checksums -f "$out.new/pom.xml" "$plugin:copy-dependencies" -DoutputDirectory="$out.new/lib" \
    >"$out.new/log" 2>&1 </dev/null || { tail -n 5 "$out.new/log" >&2; stop "Maven cannot fetch it; mend the network"; }
(cd "$out.new/lib" && sha256sum --quiet --strict -c "$sums" && [ "$(ls | wc -l)" -eq "$(wc -l <"$sums")" ]) >"$out.new/log" 2>&1 ||
    { tail -n 5 "$out.new/log" >&2; stop "what Maven fetched is not what setup/dynamodb-files.txt lists; fetch it again, or look at what changed"; }
touch "$out.new/$version"
mv "$out.new" "$out"
