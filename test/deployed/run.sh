#!/usr/bin/env bash
# npm run test:deployed: brings docker-compose.yml up in a Docker engine of its own and checks it. See README.md.
# BEFORE=COMMIT runs the image of that commit first, so that the release under load is an upgrade from it.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
repo=$(realpath "$here/../..")
if [ "$(id -u)" != 0 ]; then
  echo "test:deployed: skipped, because it needs root (a Docker engine of its own, in namespaces)"
  exit 0
fi

BASE=${BASE:-${TMPDIR:-/tmp}/gamehost-deployed}
export STATE=$BASE/state REPO=$repo
MONGOD=${MONGOD:-$(find "$repo/.cache/mongod" -name 'mongod-*' -type f 2> /dev/null | head -1 || true)}
export MONGOD
[ -n "$MONGOD" ] || { echo "test:deployed: there is no mongod in .cache/mongod; npm test fetches it" >&2; exit 1; }

mkdir -p "$STATE" "$BASE/work"
rm -rf "$BASE/check" "$BASE/src" "$BASE/before"
cp -r "$here" "$BASE/check"
git clone -q "$repo" "$BASE/src"

secret() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
printf "%s='%s'\n" \
  MONGODB_ROOT_PASSWORD "$(secret)" MONGODB_PASSWORD "$(secret)" REDIS_PASSWORD "$(secret)" \
  PUBLISH 3000 PANEL_URL http://172.17.0.1:9000 PANEL_APPLICATION_KEY ptla_check PANEL_CLIENT_KEY ptlc_check \
  SECRETS_KEY "$(secret)" PUBLIC_URL http://10.9.0.1:3000 WEBHOOK_ALLOWED_ADDRESSES 172.17.0.1/32 \
  SMTP_URL 'smtp://172.17.0.1:2525?tls=allow-untrusted' MAIL_FROM games@example.com SUPPORT_EMAIL desk@example.com \
  TICKETS_PER_DAY 0 GAMEHOST_IMAGE "${BEFORE:+gamehost:before}" > "$BASE/src/.env"
chmod 600 "$BASE/src/.env"

command -v mmdebstrap > /dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap > /dev/null
packages=docker.io,docker-cli,docker-compose,docker-buildx,iptables,iproute2,ca-certificates,curl,procps,git
[ -d "$STATE/engine" ] || mmdebstrap --mode=root --variant=minbase \
  --aptopt='Acquire::Check-Valid-Until "false"' --include=$packages sid "$STATE/engine"

cd "$BASE/check"
clean_up() {
  ./engine.sh sh sh -c 'cd /host/src && docker compose down -v' > /dev/null 2>&1 || true
  ./engine.sh stop > /dev/null 2>&1 || true
  ip netns del ghclient 2> /dev/null || true
  for program in panel receivers; do
    if [ -f "$STATE/$program.pid" ]; then kill "$(cat "$STATE/$program.pid")" 2> /dev/null || true; fi
  done
}
trap clean_up EXIT

./engine.sh start build
# A stand-in for every image that the files name now.
mongo=$(grep -om1 'mongo:[0-9.]*' "$BASE/src/docker-compose.yml")
node=$(grep -om1 'node:[0-9.]*-slim' "$BASE/src/Dockerfile")
nginx=$(grep -om1 'nginx:[0-9.]*-alpine' "$BASE/src/docker-compose.yml")
redis=$(grep -om1 'redis:[0-9.]*-alpine' "$BASE/src/docker-compose.yml")
./engine.sh sh docker image inspect "$mongo" "$node" "$nginx" "$redis" > /dev/null 2>&1 || ./standins.sh "$mongo" "$node" "$nginx" "$redis" > "$STATE/standins.log" 2>&1 || {
  tail -20 "$STATE/standins.log"
  exit 1
}
./engine.sh sh sh -c 'cd /host/src && GAMEHOST_IMAGE= docker compose -f docker-compose.yml -f /host/check/build-network.yml build' \
  > "$STATE/build.log" 2>&1 || { tail -20 "$STATE/build.log"; exit 1; }
if [ -n "${BEFORE:-}" ]; then
  git clone -q "$repo" "$BASE/before"
  git -C "$BASE/before" checkout -q "$BEFORE"
  # With the base images of this commit.
  ./engine.sh sh docker build --network host -t gamehost:before -f /host/src/Dockerfile /host/before \
    > "$STATE/build-before.log" 2>&1 || { tail -20 "$STATE/build-before.log"; exit 1; }
fi
./engine.sh stop
./engine.sh start run
./client-net.sh

status=0
./check.sh > "$STATE/check.log" 2>&1 || status=1
grep -v '^ok' "$STATE/check.log" || true
echo "deployed: $(grep -c '^ok' "$STATE/check.log") of $(grep -cE '^(ok|WRONG)' "$STATE/check.log") hold"
exit $status
