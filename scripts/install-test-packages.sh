#!/usr/bin/env bash
# Installs the Debian packages that tests compare with or make a host of, where this is root on Debian. Elsewhere, and where
# they cannot be installed, it says so and succeeds: tests that need them are skipped with their cause.
set -euo pipefail

packages=(strace e2fsprogs auditd libxml2-utils zip unzip openssl rpm dnf createrepo-c debootstrap systemd-container graphviz chromium prometheus prometheus-node-exporter
          acl attr libcap2-bin fish kmod iproute2 libpwquality-tools libnss-systemd openssh-server sudo chrony apparmor dconf-cli postfix procps rsyslog
          nftables iptables ufw firewalld grub-common grub2-common nginx postgresql lintian nats-server zstd skopeo ansible-core aide buildah sqlite3 db5.3-util)

apt_install() {
  # In this run level no package starts its service.
  DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "$@" >/dev/null
}

if [[ $(id -u) -ne 0 ]]; then
  echo "not root: not installing ${packages[*]}; tests that need them are skipped"
elif ! command -v apt-get >/dev/null; then
  echo "no apt-get: not installing ${packages[*]}; tests that need them are skipped"
elif [[ $(dpkg-query -W -f '${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | grep -c '^installed$') -eq ${#packages[@]} ]]; then
  echo "all packages that tests need are installed"
elif ! { apt-get update -qq && apt_install "${packages[@]}"; }; then
  echo "apt-get failed: not all of ${packages[*]} are installed; tests that need them are skipped"
fi
