#!/bin/sh
# Starts the built service: in the image, under systemd and with npm start. Arguments are options of node, such as --env-file=.env.
# Node runs in place of this shell, so that it receives signals. The flags of V8 were chosen by measuring:
# - max-old-space-size is a limit in MiB, far above what the service uses;
# - heap-growing-percent is how far the heap grows between full collections: the default uses more memory, a smaller value more CPU;
# - no-allocation-site-pretenuring: otherwise V8 takes the short-lived objects of a burst for long-lived ones, and later garbage
#   collections cost more;
# - no-memory-reducer: otherwise V8 discards compiled code while idle, and the next calls cost more;
# - min-semi-space-size, in MiB: otherwise V8 shrinks the space for new objects while idle, which costs CPU later.
exec node \
  --enable-source-maps \
  --max-old-space-size=768 \
  --heap-growing-percent=150 \
  --no-allocation-site-pretenuring \
  --no-memory-reducer \
  --min-semi-space-size=16 \
  "$@" "$(dirname "$0")/../dist/server/main.js"
