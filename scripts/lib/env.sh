# Sourced by every script: where things are, which server is used, who runs it.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
readonly ROOT
readonly DEFAULT_PG=17
readonly PGRX_VERSION=0.18.1
readonly SUPPORTED_PG="15 16 17 18"

# shellcheck source=scripts/lib/progress.sh
. "$ROOT/scripts/lib/progress.sh"

# Postgres refuses to run as root. Anyone else runs the server as themselves.
pick_server_user() {
  if [ "$(id -u)" -ne 0 ]; then
    id -un
  elif [ -n "${MEMENTO_SERVER_USER:-}" ]; then
    echo "$MEMENTO_SERVER_USER"
  elif id -u postgres >/dev/null 2>&1; then
    echo postgres
  else
    echo nobody
  fi
}

# Everything that set-up makes lives in $MEMENTO_HOME, by default .memento in the checkout. A checkout
# below a closed directory (/root is the usual one) cannot be reached by the server's user, so then
# .memento is a link to a place of its own.
pick_home() {
  if [ -n "${MEMENTO_HOME:-}" ]; then
    mkdir -p "$MEMENTO_HOME"
  elif [ ! -e "$ROOT/.memento" ] && ! as_server_user test -x "$ROOT" 2>/dev/null; then
    local elsewhere
    elsewhere="/var/tmp/pg_memento-$(printf '%s' "$ROOT" | cksum | cut -d' ' -f1)"
    mkdir -p "$elsewhere"
    ln -sfn "$elsewhere" "$ROOT/.memento"
    echo "note: $SERVER_USER cannot enter $ROOT, so .memento is a link to $elsewhere" >&2
  else
    mkdir -p "$ROOT/.memento"
  fi
  (cd "${MEMENTO_HOME:-$ROOT/.memento}" && pwd -P)
}

# Runs a command as the user of the server: the one place that changes identity.
as_server_user() {
  if [ "$(id -un)" = "$SERVER_USER" ]; then
    "$@"
  else
    (cd / && exec setpriv --reuid "$SERVER_USER" --regid "$(id -g "$SERVER_USER")" --clear-groups -- "$@")
  fi
}

SERVER_USER=$(pick_server_user)
HOME_DIR=$(pick_home)
readonly SERVER_USER HOME_DIR
mkdir -p "$HOME_DIR/log" "$HOME_DIR/tools/bin"

# Answers the path of pg_config for a supported major version that set-up has brought, or the user's own server.
pg_config_of() {
  local major=$1
  if [ -n "${PG_CONFIG:-}" ] && [ "$major" = "$(major_of "$PG_CONFIG")" ]; then
    echo "$PG_CONFIG"
    return
  fi
  case $major in
    15) echo "$HOME_DIR/servers/15/usr/lib/postgresql/15/bin/pg_config" ;;
    16) echo "$HOME_DIR/servers/16/bin/pg_config" ;;
    17) echo "$HOME_DIR/servers/17/bin/pg_config" ;;
    18) echo "$HOME_DIR/servers/18/bin/pg_config" ;;
  esac
}

# require_supported MAJOR...: to be called on whatever the user gave.
require_supported() {
  local major
  for major in "$@"; do
    [[ " $SUPPORTED_PG " = *" $major "* ]] || die "Postgres $major is not supported" "use one of: $SUPPORTED_PG"
  done
}

major_of() {
  "$1" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/'
}

# The server that is used where none is named.
default_major() {
  if [ -n "${PG_CONFIG:-}" ]; then
    [ -x "$PG_CONFIG" ] || die "PG_CONFIG=$PG_CONFIG cannot be run" "name the pg_config of your server, or unset PG_CONFIG"
    major_of "$PG_CONFIG"
  else
    echo "$DEFAULT_PG"
  fi
}

# What cargo, pgrx and the servers need to find each other. Nothing of it leaks into the user's shell.
export PGRX_HOME="$HOME_DIR/pgrx"
export LIBCLANG_PATH="$HOME_DIR/tools/libclang"
export PATH="$HOME_DIR/tools/bin:$PATH"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$ROOT/target}"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# The wheel's libclang comes without the compiler's own headers (stddef.h and the like): gcc's will do.
export BINDGEN_EXTRA_CLANG_ARGS="${BINDGEN_EXTRA_CLANG_ARGS:--isystem $(gcc -print-file-name=include 2>/dev/null || echo /usr/include)}"
export LC_ALL=C.UTF-8
# With it in the server's environment, pgrx adds a backtrace to the DETAIL of every error.
unset RUST_BACKTRACE
# Libraries of Debian's server that this machine may not have.
if [ -d "$HOME_DIR/servers/15/usr/lib/x86_64-linux-gnu" ]; then
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$HOME_DIR/servers/15/usr/lib/x86_64-linux-gnu"
fi
# The flags that `cargo pgrx` adds by itself. Given to every cargo call, so that they share what is built.
export RUSTFLAGS="${RUSTFLAGS:--C link-arg=-Wl,--no-gc-sections}"
# The local model that set-up brings, for tests and benchmarks; they say so when it is not there.
export MEMENTO_TEST_MODEL_DIR="${MEMENTO_TEST_MODEL_DIR:-$HOME_DIR/model}"
export MEMENTO_TEST_ONNX_LIBRARY="${MEMENTO_TEST_ONNX_LIBRARY:-$HOME_DIR/onnxruntime/libonnxruntime.so}"
# Newer builds of ONNX Runtime than the one here report usage unless this is set before they start.
export ORT_DISABLE_TELEMETRY=1
