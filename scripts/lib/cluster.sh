# Sourced: a private cluster below .memento, reached over loopback with a password of its own.
# shellcheck shell=bash

# free_port: asks the kernel for one.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# cluster_init DIRECTORY MAJOR: initdb, settings, password.
cluster_init() {
  local directory=$1 bindir
  bindir=$("$(pg_config_of "$2")" --bindir)
  rm -rf "$directory"
  mkdir -p "$directory"
  python3 -c 'import secrets; print(secrets.token_hex(16))' >"$directory/password"
  chmod 600 "$directory/password"
  echo "$2" >"$directory/major"
  [ "$(id -u)" -ne 0 ] || chown -R "$SERVER_USER" "$directory"
  as_server_user "$bindir/initdb" --pgdata="$directory/data" --username=postgres --pwfile="$directory/password" \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
  as_server_user tee -a "$directory/data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
port = $(free_port)
unix_socket_directories = ''
shared_preload_libraries = 'pg_memento'
memento.model_dir = '$HOME_DIR/model'
memento.onnx_library = '$HOME_DIR/onnxruntime/libonnxruntime.so'
SETTINGS
}

cluster_running() {
  [ -d "$1/data" ] && as_server_user "$(cluster_bindir "$1")/pg_ctl" status --pgdata="$1/data" >/dev/null 2>&1
}

cluster_bindir() {
  "$(pg_config_of "$(cat "$1/major")")" --bindir
}

cluster_start() {
  as_server_user "$(cluster_bindir "$1")/pg_ctl" start --wait --pgdata="$1/data" --log="$1/data/server.log" || {
    tail -n 20 "$1/data/server.log"
    return 1
  }
}

cluster_stop() {
  as_server_user "$(cluster_bindir "$1")/pg_ctl" stop --wait --mode=fast --pgdata="$1/data"
}

# cluster_dsn DIRECTORY DATABASE: for any client, as superuser.
cluster_dsn() {
  local port
  port=$(sed -n 's/^port = //p' "$1/data/postgresql.conf" | tail -n 1)
  echo "postgresql://postgres:$(cat "$1/password")@127.0.0.1:$port/$2"
}
