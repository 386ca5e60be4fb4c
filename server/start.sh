#!/bin/sh
# `npm start`: runs the server, and starts it again when it dies, so that a fault nobody found costs a second. A shell, not
# Node: it needs 1 MB and no time of its own.

# Decision 0024: the C library gives memory back.
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072

# Node keeps what it has compiled: without it, its first moment would be spent on our types.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-dist/compiled}"

deaths_max=5
within=60
deaths=
stopping=
server=

stop() {
  stopping=1
  # Not SIGINT: a shell starts its background programs deaf to it.
  [ -z "$server" ] || kill -TERM "$server" 2> /dev/null
}
trap stop INT TERM HUP

is_first=1
while :; do
  node server/main.ts &
  server=$!
  # A signal that came before the server was there.
  [ -z "$stopping" ] || stop
  # A signal ends the waiting, but not yet the server.
  while :; do
    wait "$server"
    code=$?
    kill -0 "$server" 2> /dev/null || break
  done
  [ -z "$stopping" ] || exit "$code"
  # 0: it stopped in order. 130: at the second signal. 1 at the first start: it said what is wrong, and would say it again.
  case "$code" in
    0 | 130) exit "$code" ;;
    1) [ -z "$is_first" ] || exit 1 ;;
  esac
  is_first=
  now=$(date +%s)
  count=1
  recent=
  for at in $deaths; do
    if [ $((now - at)) -lt "$within" ]; then
      recent="$recent $at"
      count=$((count + 1))
    fi
  done
  deaths="$recent $now"
  if [ "$count" -ge "$deaths_max" ]; then
    echo "Miranda ended $count times within $within seconds, so it is not started again. The lines above say why." >&2
    exit 1
  fi
  echo "Miranda ended without being asked to (status $code). It is started again." >&2
done
