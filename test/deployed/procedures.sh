#!/usr/bin/env bash
# What the operations guide has operators do with a running deployment: releases, new versions of MongoDB, changed passwords.
# check.sh reads this file.

api_containers() { compose ps --all --quiet api | sort | paste -sd,; }
roll() {
  engine env COMPOSE_FILE=docker-compose.yml:/host/check/release.yml sh -c 'cd /host/src && server/rolling.sh' > "$work/rolling.log" 2>&1
}
# Compose takes a container of other settings for a new one.
next_release() { printf 'services: { api: { labels: { release: "%s" }, healthcheck: { %s } } }\n' "$(now)" "$1" > "$here/release.yml"; }

release() {
  local before
  before=$(api_containers)
  next_release ''
  # The image of this commit, where that of another one ran until now.
  write_setting GAMEHOST_IMAGE ''
  roll
  ok 'rolling.sh, exit code' $? 0
  ok 'containers of the release before' "$(api_containers | tr , '\n' | grep -cF "$(echo "$before" | tr , '\n')")" 0
  ok 'containers of the new release' "$(engine docker ps -q --filter label=release | wc -l)" 2
  ok 'their image' "$(engine docker ps --filter label=release --format '{{.Image}}' | sort -u)" \
    "$(sed -n 's/.*GAMEHOST_IMAGE:-\(.*\)}$/\1/p' "$src/docker-compose.yml")"
}

broken_release() {
  local before
  before=$(api_containers)
  next_release 'test: [CMD, "false"], start_period: 1s'
  roll
  ok 'rolling.sh with a release that is not healthy, exit code' $? 1
  ok 'containers after it are those before' "$(api_containers)" "$before"
}

states() { mongosh 1 "$uri" 'print(rs.status().members.map((m) => m.stateStr).sort().join())'; }
is_whole() { [ "$(states)" = PRIMARY,SECONDARY,SECONDARY ]; }

replace_members() {
  printf 'services: { mongo-1: &new { labels: { release: "%s" } }, mongo-2: *new, mongo-3: *new }\n' "$(now)" > "$here/release.yml"
  local member
  for member in 2 3 1; do
    compose -f docker-compose.yml -f /host/check/release.yml up --detach --wait --no-deps mongo-$member > /dev/null 2>&1
    ok "mongo-$member replaced, exit code" $? 0
    for _ in $(seq 60); do is_whole && break; sleep 1; done
  done
  ok 'members of the set, all replaced' "$(states)" PRIMARY,SECONDARY,SECONDARY
}

new_secret() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
write_setting() {
  sed -i "s/^$1=.*/$1='$2'/" "$src/.env"
  read_settings
}

change_passwords() {
  local password
  password=$(new_secret)
  mongosh 1 "$uri" "db.getSiblingDB('gamehost').changeUserPassword('gamehost', '$password')" > /dev/null
  write_setting MONGODB_PASSWORD "$password"
  write_setting REDIS_PASSWORD "$(new_secret)"
  compose up --detach --wait --no-deps redis > /dev/null 2>&1
  ok 'Redis with another password, exit code' $? 0
  next_release ''
  roll
  ok 'rolling.sh with changed passwords, exit code' $? 0
  ok 'readyz after it' "$(caller curl -s $url/readyz)" '{"status":"ready","parts":{"mongodb":"ok","redis":"ok","panel":"ok"}}'
}

change_root_password() {
  local password
  password=$(new_secret)
  mongosh 1 "$uri" "db.getSiblingDB('admin').changeUserPassword('root', '$password')" > /dev/null
  compose stop > /dev/null 2>&1
  write_setting MONGODB_ROOT_PASSWORD "$password"
  compose up --detach --wait > /dev/null 2>&1
  ok 'start with another root password, exit code' $? 0
  ok 'members of the set after it' "$(states)" PRIMARY,SECONDARY,SECONDARY
  ok 'key after it' "$(status $url/api/v1/catalog/games)" 200
}
