#!/usr/bin/env bash
# Brings docker-compose.yml up on empty volumes in the engine of engine.sh and checks it: a line per check, "ok" or "WRONG",
# and exit code 1 if one is wrong. run.sh starts it.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
STATE=${STATE:?is set by run.sh}
work=$STATE/../work
src=$STATE/../src
url=http://10.9.0.1:3000
failed=0
read_settings() {
  . "$src/.env"
  uri="mongodb://root:$MONGODB_ROOT_PASSWORD@mongo-1,mongo-2,mongo-3/admin?replicaSet=rs0"
}
read_settings
. "$here/procedures.sh"

# ok NAME ACTUAL EXPECTED
ok() { if [ "$2" = "$3" ]; then echo "ok    $1: $2"; else echo "WRONG $1: $2, expected $3"; failed=1; fi; }
engine() { "$here/engine.sh" sh "$@"; }
compose() { engine sh -c 'cd /host/src && exec docker compose "$@"' sh "$@" < /dev/null; }
caller() { ip netns exec ghclient "$@"; }
status() { caller curl -s -m 10 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer ${KEY:-}" "$@"; }
mongosh() { engine docker exec "gamehost-mongo-$1-1" mongosh --quiet "$2" --eval "$3" < /dev/null 2> /dev/null; }
now() { date +%s; }

primary() {
  for member in 1 2 3; do
    local hello='print(db.hello().isWritablePrimary)'
    [ "$(mongosh $member 'mongodb://127.0.0.1/?directConnection=true' "$hello")" = true ] && echo $member && return
  done
}

# write_while NAME SECONDS COMMAND...: opens and closes 20 tickets a second through nginx while the command runs.
written=()
write_while() {
  local name=$1 seconds=$2 writer
  shift 2
  written+=("$work/$name.json")
  caller node "$here/writer.mjs" $url "$WRITERS" "$seconds" 20 "$name" > "$work/$name.json" &
  writer=$!
  sleep 4
  "$@"
  wait $writer
  "$here/verify.sh" "$work/$name.json" > "$work/$name-verdict.json"
  echo "      $(verdict "$name" '`${v.acknowledged} of ${v.sent} acknowledged ${JSON.stringify(v.counts)}, p50 ${v.p50Ms} ms, p99 ${v.p99Ms} ms, longest gap ${v.longestGapMs} ms`')"
  ok "$name: acknowledged tickets" "$(verdict "$name" '`${v.lost} lost, ${v.twice} twice`')" '0 lost, 0 twice'
}
verdict() {
  node -e "const v = JSON.parse(require('fs').readFileSync(process.argv[1])); console.log($2)" "$work/$1-verdict.json"
}
all_acknowledged() { ok "$1: refused tickets" "$(verdict "$1" 'v.sent - v.acknowledged')" 0; }

first_start() {
  compose down -v > /dev/null 2>&1
  engine docker volume prune --all --force > /dev/null
  local started
  started=$(now)
  compose up --detach --wait > "$work/up.log" 2>&1
  ok 'first start, exit code' $? 0
  echo "      ready in $(($(now) - started)) s"
  ok 'running containers' "$(compose ps -q | wc -l)" 8
  ok 'the backup of today' "$(compose exec -T backup sh -c 'ls /backups')" "$(date -u +%F)"
}

containment() {
  local container expected
  for service in proxy api backup mongo-1 mongo-2 mongo-3 redis; do
    container=$(compose ps -q $service | head -1)
    case $service in proxy) expected=101 ;; api | backup) expected=1000 ;; *) expected=999 ;; esac
    ok "$service: user" "$(engine docker exec "$container" id -u)" $expected
    ok "$service: no capability, no new privileges, seccomp" \
      "$(engine docker exec "$container" sh -c 'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/1/status | tr -d "\n\t"')" \
      'CapEff:0000000000000000CapBnd:0000000000000000NoNewPrivs:1Seccomp:2'
    ok "$service: where it can write" \
      "$(engine docker exec "$container" sh -c 'for d in / /etc /var/tmp /tmp; do touch $d/x 2>/dev/null && printf "%s " $d; done')" '/tmp '
    ok "$service: log driver" "$(engine docker inspect -f '{{.HostConfig.LogConfig.Type}}' "$container")" local
  done
}

databases() {
  ok 'members of the set' "$(mongosh 1 "$uri" 'print(rs.status().members.map((m) => m.stateStr).sort().join())')" \
    PRIMARY,SECONDARY,SECONDARY
  ok 'users of MongoDB' \
    "$(mongosh 1 "$uri" 'print(db.system.users.find().toArray().map((u) => u._id + ":" + u.roles.map((r) => r.role).sort()).sort().join())')" \
    'admin.root:root,gamehost.gamehost:dbAdmin,readWrite'
  ok 'MongoDB without a password' "$(mongosh 1 'mongodb://127.0.0.1/?directConnection=true' \
    'try { db.adminCommand({ listDatabases: 1 }); print("open") } catch (e) { print(e.codeName) }')" Unauthorized
  ok 'Redis without a password' \
    "$(engine docker exec gamehost-redis-1 sh -c 'unset REDISCLI_AUTH; redis-cli ping' | head -1 | cut -c1-6)" NOAUTH
  local address port connect
  for service in mongo-1 redis; do
    address=$(engine docker inspect -f '{{.NetworkSettings.Networks.gamehost_data.IPAddress}}' gamehost-$service-1)
    port=$([ $service = redis ] && echo 6379 || echo 27017)
    connect="timeout 2 bash -c 'exec 3<>/dev/tcp/$address/$port' 2>/dev/null && echo open || echo closed"
    ok "$service from nginx" "$(engine docker exec gamehost-proxy-1 bash -c "$connect")" closed
    ok "$service from outside" "$(caller bash -c "$connect")" closed
  done
  ok 'volumes without a name' "$(engine docker volume ls -q | grep -vc '^gamehost_')" 0
}

# issue_key EMAIL SCOPES CALLS_PER_MINUTE
issue_key() {
  compose exec -T api node dist/server/cli.js key issue --email "$1" --name check --scopes "$2" --calls-per-minute "$3" |
    grep -o 'gamehost_live_[A-Za-z0-9]*'
}
send() { status -H 'Content-Type: application/json' -X "$1" -d "$3" "$url/api/v1$2"; }

# Customers who write, each with a webhook.
writers() {
  local number answers='' key keys=()
  for number in $(seq 20); do
    answers+="$(send PUT "/admin/users/writer-$number" "{\"email\": \"writer$number@example.com\"}") "
    key=$(issue_key "writer$number@example.com" write:tickets,write:webhooks,read:account 6000)
    answers+="$(KEY=$key send POST /webhooks '{"url": "http://172.17.0.1:9001/", "events": ["ticket.created"]}') "
    keys+=("$key")
  done
  ok 'customers and their webhooks, by status' "$(echo "$answers" | tr -s ' ' '\n' | sort -u | paste -sd ' ')" 201
  WRITERS=$(IFS=,; echo "${keys[*]}")
}

keys() {
  echo 'correct horse battery staple 9' | engine sh -c \
    'cd /host/src && docker compose exec -T api node dist/server/cli.js user add --email ada@example.com --password - --admin' > /dev/null
  ok 'user add' $? 0
  KEY=$(issue_key ada@example.com read:catalog,read:account,admin:users 6000)
  small=$(issue_key ada@example.com read:account 120)
  ok readyz "$(caller curl -s $url/readyz)" '{"status":"ready","parts":{"mongodb":"ok","redis":"ok","panel":"ok"}}'
  ok 'catalog with a key' "$(status $url/api/v1/catalog/games)" 200
  ok 'catalog without a key' "$(KEY='' status $url/api/v1/catalog/games)" 401
}

log_lines() { for container in $(compose ps --quiet api); do engine docker logs "$container" 2>&1; done; }
# The address in the log line of a request id.
address_of() { sleep 1; log_lines | grep "\"requestId\":\"$1\"" | grep -o '"address":"[^"]*"' | cut -d'"' -f4; }

addresses() {
  for i in $(seq 10); do status -H "X-Request-Id: half-$i" $url/api/v1/me > /dev/null; done
  sleep 1
  ok 'of ten calls, by replica' \
    "$(for container in $(compose ps --quiet api); do engine docker logs "$container" 2>&1 | grep -c '"requestId":"half-'; done | paste -sd,)" 5,5
  status -H 'X-Request-Id: from-1' -H 'X-Forwarded-For: 203.0.113.9' -H 'Forwarded: for=203.0.113.9' $url/api/v1/me > /dev/null
  ok 'address of a caller who claims another' "$(address_of from-1)" 10.9.0.2
  status -H 'X-Request-Id: from-2' --interface 10.9.0.3 $url/api/v1/me > /dev/null
  ok 'address of another caller' "$(address_of from-2)" 10.9.0.3
  status -H 'X-Request-Id: from-6' --interface fd09::2 'http://[fd09::1]:3000/api/v1/me' > /dev/null
  ok 'address of a caller with IPv6' "$(address_of from-6)" fd09::2
}

limits() {
  # Within one minute of the clock, which is the window of a key.
  while [ "$(date +%-S)" -gt 50 ]; do sleep 1; done
  for _ in $(seq 150); do printf 'url=%s\noutput=/dev/null\n' $url/api/v1/me; done > "$work/calls"
  ok '150 calls of a key of 120 a minute, over both replicas' \
    "$(caller curl -s --rate 40/s -w '%{http_code}\n' -H "Authorization: Bearer $small" -K "$work/calls" | sort | uniq -c | awk '{printf "%s:%s ", $2, $1}')" \
    '200:120 429:30 '
  sleep 3
  for _ in $(seq 600); do printf 'url=%s\noutput=/dev/null\n' $url/healthz; done > "$work/flood"
  caller curl -s --parallel --parallel-max 100 -w '%{http_code}\n' -K "$work/flood" > "$work/codes" 2> /dev/null &
  sleep 0.7
  ok 'another network while one floods' "$(status --interface 10.9.0.3 $url/healthz)" 200
  wait $!
  ok 'the flood is refused' "$(grep -q 429 "$work/codes" && echo yes)" yes
  sleep 5
}

upgrade() {
  write_while rolling 45 release
  all_acknowledged rolling
}

open_loop() {
  write_while open 60 true
  all_acknowledged open
}

# Each acknowledged ticket had an event, whatever happened in between.
notices() {
  local missing
  for _ in $(seq 60); do
    engine curl -s http://172.17.0.1:9001/received > "$work/received.json"
    missing=$(node -e '
      const [{ titles }, ...written] = process.argv.slice(1).map((file) => JSON.parse(fs.readFileSync(file)));
      const known = new Set(titles);
      console.log(written.flatMap(({ acknowledged }) => acknowledged).filter((title) => !known.has(title)).length);
    ' "$work/received.json" "${written[@]}")
    [ "$missing" = 0 ] && break
    sleep 2
  done
  ok 'acknowledged tickets whose event did not arrive' "$missing" 0
  ok 'tickets with two events' "$(sed 's/.*"twice":\([0-9]*\).*/\1/' "$work/received.json")" 0
  ok 'mails to support' "$(grep -q '"mails":[1-9]' "$work/received.json" && echo yes)" yes
}

backup() {
  rm -rf "$src/backups"
  install -d -o 1000 "$src/backups"
  compose run --rm -v ./backups:/backups api node dist/server/cli.js backup /backups/2030-01-31 > /dev/null 2>&1
  ok 'backup, as the operations guide has it' $? 0
}

kill_primary() {
  engine kill -9 "$(engine docker inspect -f '{{.State.Pid}}' "gamehost-mongo-$(primary)-1")"
  killed_at=$(date +%s%3N)
}

stop_primary() {
  local member
  member=$(primary)
  compose stop "mongo-$member" > /dev/null 2>&1
  ok 'a stopped member, exit code' "$(engine docker inspect -f '{{.State.ExitCode}}' "gamehost-mongo-$member-1")" 0
  compose start "mongo-$member" > /dev/null 2>&1
}

scale_up() {
  compose up --detach --wait --scale api=4 --no-recreate > /dev/null 2>&1
  local answering
  for _ in $(seq 10); do
    sleep 2
    answering=$(for container in $(compose ps --quiet api); do
      engine docker logs --since 8s "$container" 2>&1 | grep -c '"status":201' > /dev/null && echo "$container"
    done | wc -l)
    [ "$answering" = 4 ] && break
  done
  ok 'replicas that answer' "$answering" 4
}

failures() {
  write_while crash 40 kill_primary
  # Of what was on its way at that moment nobody can say whether it was done.
  ok 'the primary crashes: calls made afterwards that end in 500' \
    "$(verdict crash "v.failures.filter((f) => f.sentAt > $killed_at && f.answer.startsWith('500')).length")" 0
  ok 'errors that the log could not show' "$(log_lines | grep -c 'unable to serialize')" 0
  write_while stop 45 stop_primary
  all_acknowledged stop
  write_while scale 60 scale_up
  all_acknowledged scale
  compose up --detach --wait --scale api=2 --no-recreate > /dev/null 2>&1
  broken_release
  write_while members 100 replace_members
  all_acknowledged members
  write_while passwords 60 change_passwords
  all_acknowledged passwords
  change_root_password
}

exit_codes() { compose ps -a --format '{{.ExitCode}}' | sort | uniq -c | awk '{printf "%s:%s ", $2, $1}'; }

restarts() {
  local started
  started=$(now)
  compose stop > /dev/null 2>&1
  echo "      stopped in $(($(now) - started)) s"
  ok 'exit codes after docker compose stop' "$(exit_codes)" '0:8 '
  compose up --detach --wait > /dev/null 2>&1
  ok 'start again, exit code' $? 0
  ok 'key after it' "$(status $url/api/v1/catalog/games)" 200
  compose down > /dev/null 2>&1
  compose up --detach --wait > /dev/null 2>&1
  ok 'down and up, exit code' $? 0
  ok 'key after it' "$(status $url/api/v1/catalog/games)" 200
  "$here/verify.sh" "$work/passwords.json" > "$work/passwords-verdict.json"
  ok 'tickets after it' "$(verdict passwords '`${v.lost} lost, ${v.twice} twice`')" '0 lost, 0 twice'
  for secret in "$MONGODB_ROOT_PASSWORD" "$MONGODB_PASSWORD" "$REDIS_PASSWORD" "$SECRETS_KEY" "$KEY"; do
    ok 'log lines with a secret' "$(compose logs 2>&1 | grep -cF "$secret")" 0
  done
}

# On empty volumes, as on another machine.
restore() {
  local started
  compose down -v > /dev/null 2>&1
  started=$(now)
  compose up --detach --wait mongo-1 mongo-2 mongo-3 redis > /dev/null 2>&1
  compose run --rm -v ./backups:/backups api node dist/server/cli.js restore /backups/2030-01-31 --drop > /dev/null 2>&1
  ok 'restore, as the operations guide has it' $? 0
  compose up --detach --wait > /dev/null 2>&1
  ok 'start after it, exit code' $? 0
  ok 'key after it' "$(status $url/api/v1/catalog/games)" 200
  echo "      restored on empty volumes in $(($(now) - started)) s"
  "$here/verify.sh" "$work/passwords.json" > "$work/passwords-verdict.json"
  ok 'tickets after it' "$(verdict passwords '`${v.lost} lost, ${v.twice} twice`')" '0 lost, 0 twice'
}

first_start
containment
databases
keys
writers
addresses
upgrade
limits
open_loop
failures
notices
backup
restarts
restore
exit $failed
