#!/usr/bin/env bash
# Runs in a host: fills its apt repository with small packages of our own, in several versions, so that packages can be
# installed, upgraded and downgraded without any network.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pack NAME VERSION: packs what lies in $work/NAME.
pack() {
  mkdir -p "$work/$1/DEBIAN"
  cat >"$work/$1/DEBIAN/control" <<CONTROL
Package: $1
Version: $2
Architecture: all
Maintainer: Nobody <nobody@localhost>
Description: a package of the end-to-end tests
CONTROL
  dpkg-deb --root-owner-group --build "$work/$1" "/srv/packages/${1}_${2}_all.deb" >/dev/null
}

# add_file NAME PATH MODE: its content is on standard input.
add_file() {
  install -D -m "$3" <(cat) "$work/$1/$2"
}

# add_service NAME: a service that the package neither enables nor starts. What it executes is on standard input.
add_service() {
  add_file "$1" "lib/systemd/system/$1.service" 0644 <<UNIT
[Unit]
Description=$1 of the end-to-end tests

[Service]
$(cat)

[Install]
WantedBy=multi-user.target
UNIT
  add_file "$1" DEBIAN/postinst 0755 <<'SCRIPT'
#!/bin/sh
systemctl daemon-reload
SCRIPT
}

# Says what it is and what its configuration tells it, once per start and before the start is over.
for version in 1.0-1 2.0-1; do
  add_file greeter usr/sbin/greet 0755 <<SCRIPT
#!/bin/sh
. /etc/greeter.conf
echo "\$greeting from $version" >/run/greeting
SCRIPT
  printf '%s\n' ExecStartPre=/usr/sbin/greet 'ExecStart=/bin/sleep infinity' | add_service greeter
  pack greeter "$version"
done

# Versions whose order is not that of their text.
for version in 1.9-1 1.10~rc1-1 1.10-1; do pack inspector "$version"; done

pack courier 3.1-2
pack telnet-server 0.17-1
echo 'ExecStart=/bin/sleep infinity' | add_service beacon
pack beacon 1.0-1

index-packages /srv/packages
apt-get update -qq
