# Sourced: Debian packages fetched and unpacked below .memento, by any user, with the machine's own apt
# left as it is: its mirrors and keys are used, its lists, cache and installed packages are not touched.
# shellcheck shell=bash

APT_DIR="$HOME_DIR/apt"
readonly APT_DIR

private_apt() {
  apt-get -q -o Dir::Etc::SourceList="$APT_DIR/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::lists="$APT_DIR/lists" -o Dir::Cache="$APT_DIR/cache" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User= "$@"
}

# The mirror of this machine, with its own release for binaries; sources also from the releases that
# carry newer Postgres contrib modules and pgvector.
write_private_sources() {
  local codename mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg suite
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  [ -n "$codename" ] || { echo "this is not a Debian machine: /etc/os-release has no VERSION_CODENAME"; return 1; }
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | awk -v c="$codename" '$2 == c { print $1; exit }')
  [ -n "$mirror" ] || { echo "apt has no source for $codename"; return 1; }
  mkdir -p "$APT_DIR/lists/partial" "$APT_DIR/cache/archives/partial"
  {
    echo "deb [signed-by=$keyring] $mirror $codename main"
    for suite in trixie sid; do echo "deb-src [signed-by=$keyring] $mirror $suite main"; done
  } >"$APT_DIR/sources.list"
}

# Once a day is enough: the packages asked for here hardly change.
refresh_private_apt() {
  if [ -z "$(find "$APT_DIR/refreshed" -mmin -1440 2>/dev/null)" ]; then
    write_private_sources
    private_apt update
    touch "$APT_DIR/refreshed"
  fi
}

# unpack_debs TARGET PACKAGE...: just these packages, without what they depend on.
unpack_debs() {
  local target=$1 scratch package
  shift
  scratch=$(mktemp -d "$HOME_DIR/debs.XXXXXX")
  for package in "$@"; do
    (cd "$scratch" && private_apt download "$package")
  done
  unpack_all "$scratch" "$target"
  rm -rf "$scratch"
}

# unpack_missing_libraries TARGET PACKAGE...: what the packages depend on and this machine does not have.
unpack_missing_libraries() {
  local target=$1
  shift
  rm -f "$APT_DIR"/cache/archives/*.deb
  private_apt install --yes --download-only --no-install-recommends "$@"
  unpack_all "$APT_DIR/cache/archives" "$target"
  rm -f "$APT_DIR"/cache/archives/*.deb
}

unpack_all() {
  local from=$1 target=$2 deb
  mkdir -p "$target"
  for deb in "$from"/*.deb; do
    [ ! -e "$deb" ] || dpkg-deb -x "$deb" "$target"
  done
}

# unpack_source TARGET PACKAGE=RELEASE: the upstream source of a package, unpacked.
unpack_source() {
  local target=$1 package=${2%%=*} release=${2##*=} scratch
  scratch=$(mktemp -d "$HOME_DIR/source.XXXXXX")
  (cd "$scratch" && private_apt source --download-only --only-source -t "$release" "$package")
  mkdir -p "$target"
  tar -xf "$scratch"/*.orig.tar.* -C "$target" --strip-components=1
  rm -rf "$scratch"
}
