import type { CapturedContents } from '../../../resource-type/capture.ts'
import type { CapturedResource } from '../../capture/gather.ts'
import { known } from '../../../model/observation.ts'
import { patternOf } from '../../../model/path-patterns.ts'
import type { Target } from '../../../host/target.ts'
import type { Survey } from './survey.ts'

/** A group of related resources in the written policy. */
export interface Part {
  /** Comment above the group. */
  readonly comment: string
  readonly type: string
  readonly names: readonly string[]
  /** Which file contents to include; default: no contents. */
  readonly contents?: CapturedContents
  /** Set to also record the absence of an object. */
  readonly takesAbsent?: true
  /** Further rules, if the machine complies with them. */
  readonly rules?: (target: Target) => readonly InitRule[]
  /** Reduces the found properties; undefined omits the resource. */
  readonly adapt?: (properties: Properties) => Properties | undefined
}

/** A rule that is stated instead of captured. */
export interface InitRule extends CapturedResource {
  /** Set if the rule may be omitted without a note when the machine does not comply. */
  readonly isOptional?: true
}

type Properties = CapturedResource['properties']

/** Groups of a first policy, in order. Files in a directory come with it. */
export function partsOf({ services, ports, hasPassingPorts, packages, people }: Survey): readonly Part[] {
  return [
    {
      comment: 'Listening ports and their processes.',
      type: 'port',
      names: ports,
      rules: () => [{ type: 'port', name: '*', properties: { only: [...ports, ...(hasPassingPorts ? PASSING : [])] } }],
    },
    { comment: 'Services that run now must run, and start at boot.', type: 'service', names: services },
    {
      comment: 'Packages of these services, in any version.',
      type: 'package',
      names: packages,
      adapt: () => ({ ensure: 'present' }),
    },
    {
      comment: 'Who can log in. A new account changes /etc/passwd, see below.',
      type: 'user',
      names: people,
      adapt: pickProperties('uid', 'groups', 'shell', 'password', 'if_absent'),
    },
    {
      comment: 'Members of groups with root privileges, or with access to the files of root.',
      type: 'group',
      names: ['sudo', 'wheel', 'admin', 'docker', 'lxd', 'disk', 'shadow'],
      adapt: pickProperties('members', 'if_absent'),
    },
    ...FILES,
    ...KERNEL,
  ]
}

const CRON = [
  '/etc/cron.d',
  '/etc/cron.hourly',
  '/etc/cron.daily',
  '/etc/cron.weekly',
  '/etc/cron.monthly',
  '/var/spool/cron/crontabs',
]

const PASSING = ['udp:32768-60999']

const FILES: readonly Part[] = [
  {
    comment: 'Account and group databases, unchanged.',
    type: 'file',
    names: ['/etc/passwd', '/etc/group'],
    contents: 'digest',
  },
  {
    comment: 'Permissions of password files.',
    type: 'file',
    names: ['/etc/shadow', '/etc/gshadow', '/etc/shadow-', '/etc/gshadow-', '/etc/security/opasswd'],
  },
  {
    comment: 'Administrators and root login keys. Absent files must stay absent.',
    type: 'file',
    names: ['/etc/sudoers', '/etc/sudoers.d/', '/root/.ssh/authorized_keys', '/etc/ld.so.preload'],
    contents: 'digest',
    takesAbsent: true,
    rules: (target) => [
      onlyThese(target, '/etc/sudoers.d'),
      ...['sudoers:NOPASSWD', 'sudoers:!authenticate'].map(
        (name) => ({ type: 'setting', name, properties: { ensure: 'absent' }, isOptional: true }) as const,
      ),
    ],
  },
  {
    comment: 'Configuration files of sshd.',
    type: 'file',
    names: ['/etc/ssh/sshd_config', '/etc/ssh/sshd_config.d/'],
    contents: 'digest',
    rules: (target) => [onlyThese(target, '/etc/ssh/sshd_config.d')],
  },
  {
    comment: 'Effective settings of sshd, in whichever file they are set.',
    type: 'setting',
    names: [
      'sshd:PermitRootLogin',
      'sshd:PasswordAuthentication',
      'sshd:PermitEmptyPasswords',
      'sshd:X11Forwarding',
      'sshd:UsePAM',
    ],
  },
  {
    comment: 'Scheduled jobs and units: no additions.',
    type: 'file',
    names: ['/etc/crontab', '/etc/cron.d/'],
    contents: 'digest',
    rules: (target) => [...CRON, '/etc/systemd/system'].map((directory) => onlyThese(target, directory)),
  },
  {
    comment: 'Permissions of directories and files that root runs programs from.',
    type: 'file',
    names: [
      ...CRON.slice(1),
      '/etc/systemd/system',
      '/usr/local/bin',
      '/usr/local/sbin',
      '/boot/grub/grub.cfg',
      '/root',
    ],
  },
  {
    comment: 'Mounts at boot, and name resolution.',
    type: 'file',
    names: ['/etc/fstab', '/etc/hosts', '/etc/nsswitch.conf'],
    contents: 'digest',
  },
]

const SYSCTLS = [
  'net.ipv4.ip_forward',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.conf.all.accept_redirects',
  'net.ipv4.conf.all.accept_source_route',
  'net.ipv4.conf.all.rp_filter',
  'net.ipv4.conf.all.send_redirects',
  'net.ipv6.conf.all.forwarding',
  'net.ipv6.conf.all.accept_redirects',
  'fs.protected_hardlinks',
  'fs.protected_symlinks',
  'fs.suid_dumpable',
  'kernel.dmesg_restrict',
  'kernel.kptr_restrict',
  'kernel.randomize_va_space',
  'kernel.yama.ptrace_scope',
]

const KERNEL: readonly Part[] = [
  {
    comment: 'Separate file systems and their mount options.',
    type: 'mount',
    names: ['/boot', '/dev/shm', '/home', '/opt', '/srv', '/tmp', '/var', '/var/log', '/var/log/audit', '/var/tmp'],
    // Manual mounts and those of container runtimes do not belong in a policy.
    adapt: (properties) =>
      properties['if_absent'] === 'compliant'
        ? undefined
        : pickProperties('fstype', 'options', 'stored_options')(properties),
  },
  { comment: 'Kernel parameters for hardening.', type: 'sysctl', names: SYSCTLS },
]

/** Requires that a directory gets no other files, or stays absent. If it cannot be listed, the check reports that. */
function onlyThese(target: Target, directory: string): InitRule {
  const isThere = target.files.stat(directory).kind !== 'absent'
  const below = isThere ? target.files.listTree(directory) : known([])
  const only = below.kind === 'known' ? below.value.map(({ path }) => patternOf(path)).toSorted() : []
  return { type: 'files', name: directory, properties: isThere ? { only } : { only, if_absent: 'compliant' } }
}

function pickProperties(...names: readonly string[]): (properties: Properties) => Properties {
  return (properties) => {
    // An absent object has no other properties.
    if (properties['ensure'] === 'absent') return properties
    return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)))
  }
}
