#!/usr/bin/env bash
# Boots a throwaway copy of a root file system that build-debian.sh has made, without any network.
#
#   sudo test/hosts/boot-debian.sh "$(sudo test/hosts/build-debian.sh)" [OPTION OF systemd-nspawn...]
#
# Prints the process id of the host's init once it is up, and again each time the host has rebooted (`systemctl reboot` in it),
# and stays until it is terminated (Ctrl-C) or the host is shut down. Then nothing is left: every change is in memory, and all
# mounts and processes are in namespaces that end with this process.
set -euo pipefail
boot_timeout_seconds=120

if [[ ${1-} != --inside ]]; then
  exec unshare --mount -- "$0" --inside "$@"
fi
shift
root=$1
shift

# In our own mount namespace, what is mounted here hides nothing that anybody else uses.
scratch=/run/systemd/nspawn
boot=''
group=''

prepare_root() {
  mkdir -p "$scratch"
  mount -t tmpfs -o mode=755 tmpfs "$scratch"
  mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
  mount -t overlay -o "lowerdir=$root,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$scratch/root"
}

# A machine with the old control groups can have the new ones as well; the host always sees the new ones, as a Debian that
# runs on its own does. A group of its own keeps hosts that run at the same time apart.
prepare_group() {
  local own stale
  [[ $(stat -f -c %T /sys/fs/cgroup) == cgroup2fs ]] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
  own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
  for stale in "${own%/}"/driftgate-host-*; do
    [[ ! -d $stale || -d /proc/${stale##*-} ]] || remove_group "$stale"
  done
  group=${own%/}/driftgate-host-$$
  mkdir "$group"
}

remove_group() {
  find "$1" -depth -type d -exec rmdir {} + || echo "the control group $1 is still in use" >&2
}

# unshare gives systemd-nspawn a process namespace of its own: when that ends, so does all in it. KILL reaches it even if
# this process is killed itself.
start() {
  (
    echo "$BASHPID" >"$group/cgroup.procs"
    exec setpriv --pdeathsig KILL unshare --pid --fork --kill-child --mount-proc \
      systemd-nspawn --boot --register=no --keep-unit --directory "$scratch/root" --machine debian-host \
      --private-network --console=pipe --link-journal=no --resolv-conf=off --timezone=off "$@"
  ) </dev/null >"$scratch/console" 2>&1 &
  boot=$!
}

stop() {
  trap - EXIT
  if [[ -n $boot ]]; then
    # With its child dead unshare reaps it and ends; killed itself it would leave it to others.
    kill -KILL "$(child_of "$boot")" 2>/dev/null || kill -KILL "$boot" 2>/dev/null || true
    wait "$boot" 2>/dev/null || true
  fi
  [[ -z $group ]] || remove_group "$group"
}

child_of() {
  local child=''
  read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
  echo "$child"
}

# The init of the host, or nothing while systemd-nspawn still prepares it. Only once it is systemd is it in its own root.
find_init() {
  local nspawn child
  nspawn=$(child_of "$boot")
  [[ -n $nspawn ]] || return 0
  for child in $(cat "/proc/$nspawn/task/$nspawn/children" 2>/dev/null); do
    [[ $(cat "/proc/$child/comm" 2>/dev/null) != systemd ]] || echo "$child"
  done
}

wait_until_up() {
  local state='' deadline=$((SECONDS + boot_timeout_seconds))
  until [[ $state == running || $state == degraded ]]; do
    if [[ $SECONDS -ge $deadline ]] || ! kill -0 "$boot" 2>/dev/null; then
      echo "the host did not start: ${state:-no answer}" >&2
      tail -n 40 "$scratch/console" >&2
      return 1
    fi
    sleep 0.1
    init=$(find_init)
    [[ -z $init ]] || state=$(enter systemctl is-system-running --wait 2>/dev/null || true)
  done
  [[ $state == running ]] || enter systemctl --failed --no-pager >&2
}

enter() {
  nsenter --target "$init" --mount --uts --ipc --net --pid --cgroup --root --wd -- "$@"
}

trap stop EXIT
trap exit INT TERM HUP
prepare_root
prepare_group
start "$@"
wait_until_up
echo "$init"
if [[ -t 1 ]]; then
  echo "enter it with: nsenter --target $init --mount --uts --ipc --net --pid --cgroup --root --wd bash -l" >&2
fi
# A host that reboots ends systemd-nspawn with 133, to be started again.
while true; do
  ended=0
  wait "$boot" || ended=$?
  [[ $ended -eq 133 ]] || exit "$ended"
  start "$@"
  wait_until_up
  echo "$init"
done
