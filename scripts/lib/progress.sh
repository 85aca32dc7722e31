# Sourced: steps that say what they do, how long they took, and what to do when they fail.
# shellcheck shell=bash

die() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '  hint: %s\n' "$2" >&2
  exit 1
}

# step TITLE HINT COMMAND...: runs the command with its output in a log, shows a sign of life every
# ten seconds, and on failure shows the end of the log and the hint.
step() {
  local title=$1 hint=$2 log started code=0 pid
  shift 2
  log="$HOME_DIR/log/$(printf '%s' "$title" | tr -c 'a-zA-Z0-9' '-').log"
  started=$SECONDS
  printf '==> %s\n' "$title"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  # tail --pid comes back when the process has ended, timeout when ten seconds have passed.
  until timeout 10 tail -s 0.2 --pid="$pid" -f /dev/null; do
    printf '      %4d s  %s\n' $((SECONDS - started)) "$(tail -n 1 "$log" | cut -c 1-90)"
  done
  wait "$pid" || code=$?
  if [ "$code" -ne 0 ]; then
    tail -n 40 "$log" | sed 's/^/      | /' >&2
    die "failed after $((SECONDS - started)) s: $title (whole log: $log)" "$hint"
  fi
  printf '      done in %d s\n' $((SECONDS - started))
}
