#!/bin/sh
# A new release without an outage: starts new api containers beside the old ones, then stops the old ones one by one.
# Run it beside docker-compose.yml after `docker compose build api`. Further files of Compose: COMPOSE_FILE, as for Compose itself.
set -eu

old=$(docker compose ps --quiet api)
[ -n "$old" ] || { echo "No api container is running: start with docker compose up --detach --wait" >&2; exit 1; }
count=$(echo "$old" | wc -l)

# Fails, and leaves the old containers at work, if the new ones do not become healthy.
docker compose up --detach --wait --no-deps --no-recreate --scale api=$((2 * count)) api

for container in $old; do
  docker stop "$container" > /dev/null
  docker rm "$container" > /dev/null
  # nginx looks for addresses every two seconds: one container at a time is missing among those it knows.
  sleep 3
done
echo "Released: $count new containers."
