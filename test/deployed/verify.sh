#!/usr/bin/env bash
# verify.sh FILE: compares what writer.mjs saw acknowledged with what is stored. Any member of the set may be stopped.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
STATE=${STATE:?is set by run.sh}
. "$STATE/../src/.env"
uri="mongodb://root:$MONGODB_ROOT_PASSWORD@mongo-1,mongo-2,mongo-3/admin?replicaSet=rs0"
titles='print(JSON.stringify(db.getSiblingDB("gamehost").tickets.find({}, { subject: 1 }).toArray().map((ticket) => ticket.subject)))'
for member in 2 3 1; do
  "$here/engine.sh" sh docker exec gamehost-mongo-$member-1 mongosh --quiet "$uri" --eval "$titles" \
    > "$STATE/titles.json" 2> /dev/null && break
done
node "$here/verdict.mjs" "$1" "$STATE/titles.json"
