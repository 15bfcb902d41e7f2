import { posix } from 'node:path'
import { isWithin } from '../../model/path-rules.ts'
import { RISKS } from '../../model/risk.ts'

type RiskName = keyof typeof RISKS

/** Files and directories, including their contents. */
const PATHS: Readonly<Record<RiskName, readonly string[]>> = {
  ssh: ['/etc/ssh', '/root/.ssh', '/etc/crypto-policies'],
  login: [
    '/etc/pam.d',
    '/etc/pam.conf',
    '/etc/security',
    '/etc/authselect',
    '/etc/nsswitch.conf',
    '/etc/sssd',
    '/etc/passwd',
    '/etc/shadow',
    '/etc/group',
    '/etc/gshadow',
    '/etc/shells',
    '/etc/securetty',
    '/etc/nologin',
    '/etc/ld.so.preload',
  ],
  root: ['/etc/sudoers', '/etc/sudoers.d', '/etc/sudo.conf', '/etc/doas.conf', '/etc/polkit-1'],
  network: [
    '/etc/network',
    '/etc/netplan',
    '/etc/systemd/network',
    '/etc/systemd/resolved.conf',
    '/etc/systemd/resolved.conf.d',
    '/etc/NetworkManager',
    '/etc/sysconfig/network',
    '/etc/sysconfig/network-scripts',
    '/etc/dhcp',
    '/etc/dhcpcd.conf',
    '/etc/wpa_supplicant',
    '/etc/resolv.conf',
    '/etc/hosts.allow',
    '/etc/hosts.deny',
  ],
  firewall: [
    '/etc/nftables.conf',
    '/etc/nftables',
    '/etc/sysconfig/nftables.conf',
    '/etc/iptables',
    '/etc/sysconfig/iptables',
    '/etc/sysconfig/ip6tables',
    '/etc/ufw',
    '/etc/default/ufw',
    '/etc/firewalld',
  ],
  mount: ['/etc/fstab', '/etc/crypttab'],
  boot: [
    '/boot',
    '/efi',
    '/etc/default/grub',
    '/etc/default/grub.d',
    '/etc/grub.d',
    '/etc/kernel',
    '/etc/initramfs-tools',
    '/etc/dracut.conf',
    '/etc/dracut.conf.d',
    '/etc/selinux',
    '/etc/inittab',
    '/etc/systemd/system.conf',
    '/etc/systemd/system.conf.d',
  ],
  session: ['/etc/systemd/logind.conf', '/etc/systemd/logind.conf.d'],
}

/** Unit names without `.service` and the like; instances start with the name of their template. */
const UNITS: Readonly<Record<RiskName, RegExp>> = {
  ssh: /^(?:ssh|sshd|dropbear)(?:@.*)?$/,
  login: /^(?:sssd|winbind|nslcd|nscd|systemd-userdbd|systemd-user-sessions)$/,
  root: /^(?:polkit|polkitd)$/,
  network:
    /^(?:networking|network|network-online|NetworkManager|systemd-networkd|systemd-resolved|connman|dhcpcd|wpa_supplicant|tailscaled|(?:ifup|wg-quick|openvpn.*|strongswan.*)(?:@.*)?)$/,
  firewall: /^(?:nftables|iptables|ip6tables|netfilter-persistent|ufw|firewalld)$/,
  mount: /^(?:iscsid|open-iscsi|multipathd|autofs|rpcbind|nfs-client|remote-fs|local-fs)$/,
  boot: /^(?:systemd-udevd|systemd-modules-load|initrd.*)$/,
  session:
    /^(?:systemd-logind|elogind|dbus|dbus-broker|gdm3?|sddm|lightdm|display-manager|(?:user|getty|serial-getty)@.*)$/,
}

const PACKAGES: Readonly<Record<RiskName, RegExp>> = {
  ssh: /^(?:openssh|openssh-server|dropbear|dropbear-bin)$/,
  login: /^(?:libpam-.*|libpam0g|pam|pam_.*|libnss-.*|sssd.*|login|passwd|shadow-utils|authselect)$/,
  root: /^(?:sudo|sudo-ldap|doas|opendoas|polkit.*|policykit-1)$/,
  network:
    /^(?:ifupdown.*|netplan\.io|[Nn]etwork-?[Mm]anager|systemd-networkd|systemd-resolved|isc-dhcp-client|dhcpcd.*|dhclient|wpasupplicant|wpa_supplicant|iproute2?)$/,
  firewall: /^(?:nftables|iptables.*|ufw|firewalld|netfilter-persistent)$/,
  mount: /^(?:mount|util-linux|cryptsetup.*|lvm2|open-iscsi|nfs-common|nfs-utils)$/,
  boot: /^(?:grub.*|shim.*|systemd|systemd-sysv|systemd-boot.*|linux-image.*|kernel.*|initramfs-tools.*|dracut.*|udev)$/,
  session: /^(?:dbus.*|gdm3?|sddm|lightdm)$/,
}

const NAMES = Object.keys(RISKS) as readonly RiskName[]

/** Risk of changing these paths, including files below or above them; undefined if none is known. Links are not followed. */
export function riskOfPaths(paths: readonly string[]): string | undefined {
  const all = paths.map((path) => posix.normalize(path))
  return (
    riskWhere((name) => all.some((path) => PATHS[name].some((risky) => isOverlapping(path, risky)))) ??
    firstOf(all, (path) => (/\/\.ssh(?:\/|$)/.test(path) ? RISKS.ssh : riskOfUnitFile(path)))
  )
}

/** Risk of the unit that a unit file or drop-in belongs to. */
function riskOfUnitFile(path: string): string | undefined {
  const [, unit] = /\/systemd\/system\/([^/]+?)(?:\.d(?:\/|$)|$)/.exec(path) ?? []
  return unit === undefined ? undefined : riskOfUnit(unit)
}

function isOverlapping(path: string, risky: string): boolean {
  return isWithin(path, risky) || isWithin(risky, path)
}

function riskOfUnit(unit: string): string | undefined {
  const name = unit.replace(/\.(?:service|socket|target|timer|path)$/, '')
  return riskWhere((risk) => UNITS[risk].test(name))
}

/** Risk of the first unit that has one. */
export function riskOfUnits(units: readonly string[]): string | undefined {
  return firstOf(units, riskOfUnit)
}

/** Risk of the first package that has one. */
export function riskOfPackages(names: readonly string[]): string | undefined {
  return firstOf(names, (name) => riskWhere((risk) => PACKAGES[risk].test(name)))
}

function firstOf(texts: readonly string[], riskOf: (text: string) => string | undefined): string | undefined {
  return texts.flatMap((text) => riskOf(text) ?? [])[0]
}

function riskWhere(holds: (name: RiskName) => boolean): string | undefined {
  const found = NAMES.find(holds)
  return found === undefined ? undefined : RISKS[found]
}
