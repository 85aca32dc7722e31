# Where throw-away clusters are made, for tests and benchmarks, and as whom their servers run.
# shellcheck shell=bash

prepare_scratch() {
  rm -rf "$HOME_DIR/test"
  mkdir -p "$HOME_DIR/test"
  export MEMENTO_TEST_DIR="$HOME_DIR/test"
  if [ "$(id -u)" -eq 0 ]; then
    chown "$SERVER_USER" "$HOME_DIR/test"
    MEMENTO_SERVER_IDS="$(id -u "$SERVER_USER"):$(id -g "$SERVER_USER")"
    export MEMENTO_SERVER_IDS
  fi
}

# For tests: their clusters are in memory where there is plenty of it. They make and delete a thousand files each, and ext4 looks
# at every inode that was deleted lately before it gives out one: two thirds of the time of all tests went there.
keep_clusters_in_memory() {
  local memory=/dev/shm wanted=$((6 * 1024 * 1024)) free
  [ "$(stat --file-system --format=%T "$memory" 2>/dev/null)" = tmpfs ] || return 0
  free=$(df --output=avail "$memory" | tail -1)
  [ "$free" -ge "$wanted" ] && [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -ge "$wanted" ] || return 0
  MEMENTO_CLUSTER_DIR=$(mktemp -d "$memory/memento-test.XXXXXX") || return 0
  export MEMENTO_CLUSTER_DIR
  chown "$SERVER_USER" "$MEMENTO_CLUSTER_DIR"
  # What was interrupted leaves nothing in memory.
  trap 'rm -rf "$MEMENTO_CLUSTER_DIR"' EXIT
}
