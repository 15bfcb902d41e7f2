#!/usr/bin/env bash
# Makes the root file system of a Debian host and prints its path. It is made once, takes about a minute, and is used
# again until this script or what it is asked for changes, or its packages are not those any more that were installed.
#
#   sudo test/hosts/build-debian.sh [--suite NAME] [PACKAGE...]
#
# Each PACKAGE is not installed, but it and all it needs can be installed in the host, which has no network: they lie in
# the apt repository of its own, /srv/packages. The mirror is that of this machine's apt, and so is Debian's release
# unless another one is named.
#
# Ends with 69 and one line that says why where this machine cannot make one.
set -euo pipefail

installed=(systemd-sysv dbus openssh-server cron)
arguments=("$@")
other_suite=
if [[ ${1-} == --suite ]]; then
  other_suite=$2
  shift 2
fi
offered=("$@")
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/driftgate/hosts
build_timeout_seconds=900

unavailable() {
  echo "$1" >&2
  exit 69
}

find_obstacles() {
  local tool
  [[ $(uname -s) == Linux ]] || unavailable 'needs Linux'
  [[ $(id -u) -eq 0 ]] || unavailable 'needs root'
  for tool in debootstrap systemd-nspawn apt-get unshare nsenter setpriv flock; do
    command -v "$tool" >/dev/null || unavailable "needs $tool"
  done
  unshare --mount --pid --fork --mount-proc true 2>/dev/null || unavailable 'needs the right to make namespaces and mounts'
}

# The release this machine runs, and the first mirror its apt has of it.
find_release() {
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Release: $suite" 'Component: main' \
    'Origin: Debian' 2>/dev/null | sed -n 1p)
  suite=${other_suite:-$suite}
  [[ -n $suite && $mirror =~ ^(https?|file): ]] || unavailable 'needs an apt that knows a mirror of the Debian it runs on'
}

# Not every mirror has every release.
find_other_release() {
  [[ -z $other_suite ]] || wget -q --spider "$mirror/dists/$suite/InRelease" ||
    unavailable "needs a mirror with Debian $suite"
}

# debootstrap's wget and the apt inside know of a proxy by the environment alone.
use_proxy_of_apt() {
  local http='' https=''
  eval "$(apt-config shell http Acquire::http::Proxy https Acquire::https::Proxy)"
  [[ -z $http ]] || export http_proxy=$http
  [[ -z $https ]] || export https_proxy=$https
}

# Packages index of a directory of .deb files, by hand: dpkg-scanpackages is in none of the packages installed.
write_index_command() {
  cat >"$1" <<'SCRIPT'
#!/bin/sh
# index-packages DIRECTORY: makes a directory of .deb files an apt repository.
set -eu
cd "$1"
for deb in *.deb; do
  [ -e "$deb" ] || continue
  dpkg-deb --field "$deb"
  printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$deb" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d' ' -f1)"
done >Packages.new
mv Packages.new Packages
SCRIPT
  chmod 755 "$1"
}

download_offered() {
  local root=$1 package
  [[ ${#offered[@]} -gt 0 ]] || return 0
  chroot "$root" apt-get clean
  cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
  chroot "$root" apt-get update -qq
  # One at a time: some cannot be installed beside each other.
  for package in "${offered[@]}"; do
    chroot "$root" apt-get install -qq -y --no-install-recommends --download-only "$package"
  done
  mv "$root"/var/cache/apt/archives/*.deb "$root/srv/packages/"
}

# Only what belongs to no machine in particular stays: every host gets its own id, and no mirror but its own.
settle() {
  local root=$1
  rm -rf "$root"/var/lib/apt/lists/* "$root"/etc/apt/sources.list.d/*
  rm -f "$root"/var/cache/apt/*.bin "$root/etc/resolv.conf"
  chroot "$root" apt-get clean
  # An empty id makes systemd take a new one; without the file it would ask the questions of a first boot.
  : >"$root/etc/machine-id"
  echo debian-host >"$root/etc/hostname"
  echo 'deb [trusted=yes] file:/srv/packages ./' >"$root/etc/apt/sources.list"
  # aide-common asks ucf about each of its two hundred files of rules, which takes most of a minute.
  printf 'path-%s=/usr/share/aide/config/aide/aide.conf.d/%s\n' exclude '*' include '10_*' include 99_aide_root \
    >"$root/etc/dpkg/dpkg.cfg.d/aide"
  # Nothing happens in the host that a test did not ask for, least of all something that locks the package database.
  chroot "$root" systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer
  chroot "$root" index-packages /srv/packages
  chroot "$root" apt-get update -qq
}

# Runs in namespaces of its own, so that neither a mount nor a process outlives it, however it ends.
build() {
  local root=$1
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  debootstrap --variant=minbase --include="$(IFS=,; echo "${installed[*]}")" "$suite" "$root" "$mirror"
  mkdir -p "$root/srv/packages"
  write_index_command "$root/usr/local/sbin/index-packages"
  download_offered "$root"
  settle "$root"
  chmod 755 "$root"
}

# What a root file system holds of packages, installed and offered.
digest_of_packages() {
  (cd "$1" && cat var/lib/dpkg/status srv/packages/Packages && stat -c '%n %s' srv/packages/*) 2>&1 | sha256sum
}

is_sound() {
  [[ -d $path && $(cat "$path.packages" 2>/dev/null) == "$(digest_of_packages "$path")" ]]
}

find_obstacles
find_release
use_proxy_of_apt
find_other_release
key=$({ cat "$0"; printf '%s\n' "$suite" "$(dpkg --print-architecture)" "${offered[@]}"; } | sha256sum | cut -c1-16)
path=$cache/debian-$suite-$key

if [[ ${DRIFTGATE_BUILD_ROOT-} != '' ]]; then
  build "$DRIFTGATE_BUILD_ROOT"
  exit
fi
if ! is_sound; then
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  # Whoever held the lock before has ended: what it left half made is of no use to anybody.
  rm -rf "$cache"/unfinished.*
fi
if ! is_sound; then
  rm -rf "$path" "$path.packages"
  unfinished=$(mktemp -d "$cache/unfinished.XXXXXX")
  mkdir "$unfinished/root"
  if ! DRIFTGATE_BUILD_ROOT=$unfinished/root setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
    --mount-proc timeout "$build_timeout_seconds" "$0" "${arguments[@]}" >"$unfinished/log" 2>&1 9>&-; then
    tail -n 20 "$unfinished/log" >&2
    rm -rf "$unfinished"
    exit 1
  fi
  digest_of_packages "$unfinished/root" >"$path.packages"
  sync -f "$unfinished/root"
  mv -T "$unfinished/root" "$path"
  rm -rf "$unfinished"
fi
echo "$path"
