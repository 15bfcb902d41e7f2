import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM } from '../support/driftgate.ts'
import { cannotMount, OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const PROGRAMS = ['/usr/sbin/sshd', '/usr/sbin/visudo', '/etc/debian_version']
const missing = cannotMount ?? PROGRAMS.find((path) => !existsSync(path))

const POLICY = `
ccm:
  resources:
    - setting:
        - sshd:PermitRootLogin: { value: 'no' }
        - sshd:LoginGraceTime: { value: { at_most: 60 } }
        - sshd:X11Forwarding: { value: 'no' }
        - sudoers:Defaults.use_pty: { value: 'true' }
        - sudoers:Defaults.timestamp_timeout: { value: { at_most: 10 } }
        - sudoers:NOPASSWD: { ensure: absent }
        - limits:hard.core: { value: 0 }
`

const FILES = {
  '/etc/ssh/sshd_config': 'Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\nX11Forwarding yes\nPermitRootLogin yes\n',
  '/etc/sudoers': 'Defaults !use_pty\nroot ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n',
  '/etc/security/limits.conf': '* hard core 0\n',
}

// In a private copy of /etc.
test.skipIf(missing)(`sshd, sudo and su apply the fixed values${missing === undefined ? '' : ` (${missing})`}`, () => {
  const directory = temporaryDirectory()
  const policy = join(directory, 'policy.yaml')
  writeFileSync(policy, POLICY)
  mkdirSync(join(directory, 'over'))
  const script = [
    OWN_STATE,
    `mount -t tmpfs none ${directory}/over && mkdir ${directory}/over/up ${directory}/over/work`,
    `mount -t overlay none -o lowerdir=/etc,upperdir=${directory}/over/up,workdir=${directory}/over/work /etc`,
    'mount -t tmpfs none /run && mkdir -p /run/sshd',
    'rm -f /etc/ssh/sshd_config.d/* /etc/security/limits.d/*.conf; mkdir -p /etc/ssh/sshd_config.d /etc/sudoers.d',
    'find /etc/sudoers.d -type f -delete',
    ...Object.entries(FILES).map(([path, text]) => `printf '%s' '${text}' > ${path}`),
    'chmod 0440 /etc/sudoers',
    `for mode in '' --fix --fix ''; do ${PROGRAM.join(' ')} scan $mode ${policy} | tail -n 1; done`,
    "sshd -T | grep -E '^(permitrootlogin|logingracetime|x11forwarding) '",
    "visudo -c; sudo -V 2>/dev/null | grep -E 'timestamp timeout|^Run commands in a pty|Always run'",
    'stat -c %a /etc/sudoers.d/zz-driftgate /etc/ssh/sshd_config.d/00-driftgate.conf',
    "su -s /bin/bash -c 'ulimit -Hc'",
  ]
  const output = execFileSync('unshare', ['--mount', 'sh', '-c', script.join('\n')], { encoding: 'utf8' })
  expect(output.split('\n')).toEqual([
    '  6 resources drifted at or above severity info',
    '7 resources: 1 compliant, 6 fixed, exit 0',
    '7 resources: 7 compliant, exit 0',
    '7 resources: 7 compliant, exit 0',
    'logingracetime 60',
    'permitrootlogin no',
    'x11forwarding no',
    '/etc/sudoers: parsed OK',
    '/etc/sudoers.d/zz-driftgate: parsed OK',
    'Authentication timestamp timeout: 10.0 minutes',
    'Always run commands in a pseudo-tty',
    '440',
    '600',
    '0',
    '',
  ])
})
