const PLACE = '/mnt'

/**
 * Covers every file system with an overlay in memory, or shows it read-only, and runs the command on these. The overlay
 * must be known to the kernel, since mounting one would load its module; `mount -n` keeps no record in /run. A configuration
 * may bind any address.
 */
const SCRIPT = String.raw`set -e
grep -q overlay /proc/filesystems
mount -n -t tmpfs -o mode=0700 sandbox ${PLACE}
mkdir ${PLACE}/root
count=0
cover() {
  count=$((count + 1))
  mkdir ${PLACE}/$count ${PLACE}/$count/upper ${PLACE}/$count/work
  mount -n -t overlay -o "lowerdir=$1,upperdir=${PLACE}/$count/upper,workdir=${PLACE}/$count/work" sandbox "${PLACE}/root$1"
}
cover /
while read -r _ _ _ _ point rest; do
  case "$point" in / | /proc | /proc/* | /sys | /sys/* | /dev | /dev/* | ${PLACE} | ${PLACE}/*) continue ;; esac
  point=$(printf %b "$point")
  [ -e "${PLACE}/root$point" ] || continue
  [ -d "$point" ] || rest=file
  case "$point" in *[:,\\]*) rest=file ;; esac
  case "$rest" in *" - ext"* | *" - xfs "* | *" - btrfs "* | *" - tmpfs "* | *" - overlay "*) cover "$point"; continue ;; esac
  mount -n --bind "$point" "${PLACE}/root$point"
  mount -n -o remount,bind,ro "${PLACE}/root$point"
done < /proc/self/mountinfo
mount -n -t proc proc ${PLACE}/root/proc
mount -n -t tmpfs sandbox ${PLACE}/root/dev
for name in null zero full random urandom; do
  : > ${PLACE}/root/dev/$name
  mount -n --bind /dev/$name ${PLACE}/root/dev/$name
done
for file in /proc/sys/net/ipv4/ip_nonlocal_bind /proc/sys/net/ipv6/ip_nonlocal_bind; do
  [ ! -e $file ] || echo 1 > $file
done
exec chroot ${PLACE}/root "$@"`

const NAMESPACES = ['--mount', '--net', '--pid', '--ipc', '--fork', '--kill-child', '--propagation', 'private']

/** The command in namespaces of its own, where all that it changes is gone when it ends. */
export function inSandbox(argv: readonly string[]): readonly [program: string, ...args: string[]] {
  return ['/usr/bin/unshare', ...NAMESPACES, '/bin/sh', '-c', SCRIPT, 'sh', ...argv]
}
