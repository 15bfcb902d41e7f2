import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM } from '../support/driftgate.ts'
import { cannotMount, OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const PROGRAMS = ['/usr/sbin/rsyslogd', '/usr/sbin/postfix']
const missing = cannotMount ?? PROGRAMS.find((path) => !existsSync(path))

const RIGHT = `
ccm:
  resources:
    - setting:
        - rsyslog:$WorkDirectory: { value: /var/spool }
        - rsyslog:$MaxMessageSize: { value: 16k }
        - postfix:inet_interfaces: { value: loopback-only }
`

/** Each is what driftgate cannot know to be wrong: a directive of the main file, one of a drop-in, and a parameter. */
const WRONG = `
ccm:
  resources:
    - setting:
        - rsyslog:$WorkDirectory: { value: /nowhere }
        - rsyslog:$ActionResumeInterval: { value: never }
        - postfix:inet_interfaces: { value: nonsense.invalid }
`

const FILES = {
  '/etc/rsyslog.conf': '$WorkDirectory /tmp\n$IncludeConfig /etc/rsyslog.d/*.conf\n*.* /var/log/all\n',
  '/etc/rsyslog.d/10-more.conf': '*.info /var/log/info\n',
  '/etc/postfix/main.cf': 'compatibility_level = 3.6\ninet_interfaces = all\n',
}

/** Runs driftgate with these options in a private copy of /etc, and then a script. */
function inCopyOfEtc(runs: readonly string[], policy: string, script: string): readonly string[] {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'policy.yaml'), policy)
  mkdirSync(join(directory, 'over'))
  const all = [
    OWN_STATE,
    `mount -t tmpfs none ${directory}/over && mkdir ${directory}/over/up ${directory}/over/work`,
    `mount -t overlay none -o lowerdir=/etc,upperdir=${directory}/over/up,workdir=${directory}/over/work /etc`,
    'mount -t tmpfs none /run && mkdir -p /etc/rsyslog.d && rm -rf /etc/rsyslog.d/*',
    ...Object.entries(FILES).map(([path, text]) => `printf '%s' '${text}' > ${path}`),
    ...runs.map((run) => `${PROGRAM.join(' ')} scan ${run} ${directory}/policy.yaml`),
    script,
  ]
  const output = execFileSync('unshare', ['--mount', 'sh', '-c', all.join('\n')], { encoding: 'utf8' })
  return output.trim().split('\n')
}

const title = `a configuration that rsyslog or postfix would reject is not applied${missing === undefined ? '' : ` (${missing})`}`

test.skipIf(missing)(title, () => {
  const after =
    'cat /etc/rsyslog.conf /etc/rsyslog.d/* /etc/postfix/main.cf; ls -A /etc/rsyslog.d; ls -A /etc/postfix | grep candidate; true'
  const said = inCopyOfEtc(['--fix'], WRONG, `echo ---; ${after}`)
  const files = said.slice(said.indexOf('---') + 1)
  expect(files).toEqual([...Object.values(FILES).join('').trim().split('\n'), '10-more.conf'])
  expect(said.join('\n')).toMatch(/\/etc\/rsyslog\.conf was not written: [^]*\/nowhere can not be accessed/)
  expect(said.join('\n')).toMatch(/\/etc\/rsyslog\.d\/00-driftgate\.conf was not written: /)
  expect(said.join('\n')).toMatch(/\/etc\/postfix\/main\.cf was not written: [^]*host not found: nonsense\.invalid/)
})

test.skipIf(missing)(`a valid configuration is applied${missing === undefined ? '' : ` (${missing})`}`, () => {
  const said = inCopyOfEtc(['--fix', '--fix', ''], RIGHT, 'rsyslogd -N1 2>&1; postfix check && ls -A /etc/rsyslog.d')
  expect(said.filter((line) => line.includes(', exit '))).toEqual([
    '3 resources: 3 fixed, exit 0',
    '3 resources: 3 compliant, exit 0',
    '3 resources: 3 compliant, exit 0',
  ])
  expect(said.slice(-2)).toEqual(['00-driftgate.conf', '10-more.conf'])
})
