#!/bin/sh
# Releases without an outage: starts new api containers next to the old ones, then stops the old ones one by one.
# Run it in the folder of docker-compose.yml, after `docker compose pull api` or `build api`. COMPOSE_FILE may name more
# files, as with Compose itself.
set -eu

old=$(docker compose ps --quiet api)
[ -n "$old" ] || { echo "No api container is running: start with docker compose up --detach --wait" >&2; exit 1; }
count=$(echo "$old" | wc -l)

# Removes the new containers, because nginx would send calls to them too.
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
  # nginx updates its addresses every two seconds, so at most one address that it knows is stale.
  sleep 3
done
# Migrates again, because the old containers may have written documents in the earlier schema.
docker exec "$(docker compose ps --quiet api | head -n 1)" node dist/server/cli.js schema --migrate > /dev/null
# Gives the backup container the new version and settings too.
if docker compose config --services | grep -qx backup; then docker compose up --detach --no-deps backup; fi
echo "Released: $count new containers."
