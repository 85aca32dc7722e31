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
