#!/bin/sh
# A new release without an outage: starts new api containers beside the old ones, then stops the old ones one by one.
# Run it beside docker-compose.yml after `docker compose pull api` or `build api`. Further files of Compose: COMPOSE_FILE, as for Compose itself.
set -eu

old=$(docker compose ps --quiet api)
[ -n "$old" ] || { echo "No api container is running: start with docker compose up --detach --wait" >&2; exit 1; }
count=$(echo "$old" | wc -l)

# Removed, because nginx would send calls to them, too.
give_up() {
  echo "The new containers are not healthy, so the old ones continue. The last lines of a new one:" >&2
  new=$(docker compose ps --all --quiet api | grep -vxF "$old" || true)
  for container in $new; do
    docker logs --tail 20 "$container" >&2
    break
  done
  for container in $new; do docker rm --force "$container" > /dev/null; done
  exit 1
}

docker compose up --detach --wait --wait-timeout 120 --no-deps --no-recreate --scale api=$((2 * count)) api || give_up

for container in $old; do
  docker stop "$container" > /dev/null
  docker rm "$container" > /dev/null
  # nginx looks for addresses every two seconds: one container at a time is missing among those it knows.
  sleep 3
done
# Once more, for what the old ones wrote in the shape of their version.
docker exec "$(docker compose ps --quiet api | head -n 1)" node dist/server/cli.js schema --migrate > /dev/null
# The backup gets this version and these settings, too.
if docker compose config --services | grep -qx backup; then docker compose up --detach --no-deps backup; fi
echo "Released: $count new containers."
