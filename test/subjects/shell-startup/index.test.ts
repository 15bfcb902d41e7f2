import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { valueOf } from '../../../src/settings/effective.ts'
import { shellSettings } from '../../../src/subjects/shell-startup/index.ts'
import { decideSetting, type SettingDesired } from '../../../src/subjects/settings/decide.ts'
import { observeSetting } from '../../../src/subjects/settings/observe.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { cannotAsk, effectiveOn } from '../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { DEBIAN_BASHRC, DEBIAN_PROFILE, RED_HAT_BASHRC, RED_HAT_PROFILE } from './machines.ts'

const surfaces = await loadSurfaces()

const debian = {
  '/etc/profile': DEBIAN_PROFILE,
  '/etc/bash.bashrc': DEBIAN_BASHRC,
  '/bin/bash': '/etc/bash.bashrc',
  '/bin/sh': 'dash',
}
const redHat = {
  '/etc/profile': RED_HAT_PROFILE,
  '/etc/bashrc': RED_HAT_BASHRC,
  '/bin/bash': 'BASH_VERSION',
  '/bin/sh': 'BASH_VERSION',
  '/usr/bin/id': '',
}

function decided(
  files: Readonly<Record<string, string>>,
  wanted: Partial<SettingDesired>,
): { readonly verdict: string; readonly writes: Readonly<Record<string, string>>; readonly text: string } {
  const desired = { name: 'shell:umask', ensure: 'present', explicit: false, if_absent: 'drift', ...wanted } as const
  const seen = observeSetting(machineOf(files), desired, surfaces)
  if (seen instanceof Promise || seen.kind === 'unknown') throw new Error('it could not be looked at')
  const { drift, unknown, plan } = decideSetting(desired, seen)
  const verdict = drift.length > 0 ? 'drifted' : unknown.length > 0 ? 'unknown' : 'compliant'
  const writes = plan.kind === 'act' ? plan.action.writes : []
  return {
    verdict,
    writes: Object.fromEntries(writes.map(({ file, text }) => [file, text])),
    text: JSON.stringify([drift, unknown, plan]),
  }
}

const LEAST = { value: { at_least: '027' } }
const TIME = { name: 'shell:TMOUT', value: { at_most: '900' } }

test.each([
  ['octal with another zero', 'umask 0027', 'compliant'],
  ['symbolic', 'umask u=rwx,g=rx,o=', 'compliant'],
  ['stricter', 'umask 077', 'compliant'],
  ['a wrong one that the last line overrides', 'umask 000\numask 027', 'compliant'],
  ['within a condition that never holds', 'if false; then umask 027; fi', 'drifted'],
  ['for nobody but root', '[ "$(id -u)" -eq 0 ] && umask 027', 'drifted'],
  ['for some users', 'if [ "$(id -u)" -gt 199 ]; then umask 002; else umask 027; fi', 'drifted'],
  ['for some users in other words', 'if [ "$(id -u)" -gt 199 ]; then umask 037; else umask 027; fi', 'compliant'],
  ['where nobody knows', 'if some-program; then umask 027; fi', 'unknown'],
  ['where nobody knows, and wrong in any case', 'if some-program; then umask 026; fi', 'drifted'],
  ['where nobody knows what a program prints', '[ -n "$(some-program)" ] && umask 027', 'unknown'],
  ['where nobody knows in which directory', '[ -f marker ] && umask 027', 'unknown'],
  [
    'behind a fi with an em space, which bash refuses',
    'for i in a; do if true; then :; fi\u2003; umask 027; done',
    'unknown',
  ],
  ['with a NUL byte, which bash drops', 'umask 027\0', 'unknown'],
  ['for some users alone, from what nobody knows', 'umask $(some-program)\numask g=,o=', 'unknown'],
  ['evaluated', 'umask 027\neval "$(some-program)"', 'unknown'],
  ['set to what a program prints', 'umask $(some-program)', 'unknown'],
  ['behind what a shell refuses', 'umask 027\nif', 'unknown'],
  ['before one that is set at each prompt', 'PROMPT_COMMAND="umask 022"\numask 027', 'drifted'],
  ['before one that a function sets at each prompt', 'f() { umask 022; }\nPROMPT_COMMAND=f\numask 027', 'drifted'],
  ['before what nobody knows at each prompt', 'PROMPT_COMMAND=$(some-program)\numask 027', 'unknown'],
  [
    'beside a prompt that differs',
    'if [ "$TERM" = a ]; then PROMPT_COMMAND=b; else PROMPT_COMMAND=c; fi\numask 027',
    'compliant',
  ],
  ['behind a trap', 'trap "umask 022" DEBUG\numask 027', 'unknown'],
  ['behind what sets colours', 'umask 027\neval "$(dircolors -b)"', 'compliant'],
])('a umask %s', (_name, text, verdict) => {
  const files = { ...debian, '/etc/profile.d/a.sh': text }
  expect(decided(files, { ...LEAST, match: 'login' }).verdict).toBe(verdict)
})

test('where /etc/profile.d has nothing to read, the shells are what they are without it', () => {
  const files = { ...debian, '/etc/profile.d/README': 'umask 027' }
  expect(decided(files, { ...LEAST, match: 'login' }).verdict).toBe('drifted')
  expect(decided(files, { ...TIME, match: 'login' }).verdict).toBe('drifted')
})

test.each([
  ['TMOUT=600', 'compliant'],
  ['readonly TMOUT=600', 'compliant'],
  [': "${TMOUT:=600}"', 'compliant'],
  ['x="${TMOUT:=99999}"', 'drifted'],
  ['echo "${TMOUT=1}"', 'compliant'],
  ['case "${TMOUT:=600}" in *) ;; esac', 'compliant'],
  ['TMOUT=0; local TMOUT=600', 'drifted'],
  ['f() { local TMOUT=0; }; TMOUT=600; f', 'unknown'],
  ['. /etc/given 600', 'compliant'],
  ['TMOUT=901', 'drifted'],
  ['TMOUT=0', 'drifted'],
  ['', 'drifted'],
])('a shell that ends with %j', (text, verdict) => {
  const files = { ...debian, '/etc/given': 'TMOUT=$1', '/etc/profile.d/a.sh': text }
  expect(decided(files, { ...TIME, match: 'login' }).verdict).toBe(verdict)
})

/** Conditions that hold in an interactive shell on a terminal, and those that do not. */
const ON_TERMINAL = [
  '[ -t 0 ]',
  'test -t 1',
  '[[ -t 2 ]]',
  '[ -t 0 -a -n "$PS1" ]',
  'tty -s',
  '[ -n "$PS1" ]',
  '[[ $- == *i* ]]',
  '[[ $- =~ i ]]',
  '[ "${-#*i}" != "$-" ]',
  'case $- in *i*) true ;; *) false ;; esac',
]
const OFF_TERMINAL = [
  ...ON_TERMINAL.map((condition) => `! { ${condition}; }`),
  '[[ $- =~ c ]]',
  'case $- in *i*) false ;; esac',
]

test.each([
  ...ON_TERMINAL.map((condition) => [condition, 'compliant']),
  ...OFF_TERMINAL.map((condition) => [condition, 'drifted']),
  // A file may have been opened.
  ['[ -t 3 ]', 'unknown'],
  ['[ -t "$(some-program)" ]', 'unknown'],
  ['[[ $- =~ .i ]]', 'unknown'],
])('a timeout where %s, as bash in a terminal', (condition, verdict) => {
  const files = { ...debian, '/etc/profile.d/a.sh': `if ${condition}; then TMOUT=600; fi\n` }
  expect(decided(files, { ...TIME, match: 'login' }).verdict).toBe(verdict)
})

test('a login shell that is not interactive may have a terminal or not', () => {
  const text = 'if [ -t 0 ]; then umask 027; else umask 022; fi'
  const effective = effectiveOn(shellSettings, { ...debian, '/etc/profile.d/a.sh': text }, 'umask')
  if (typeof effective === 'string') throw new Error(effective)
  const shown = effective
    .filter(({ scope }) => scope === 'a non-interactive login shell of a user')
    .map((each) => valueOf(each, shellSettings.rulesOf({ section: '', key: 'umask' })))
  expect(shown).toEqual(['0027', '0022'])
})

test('the shells that a query selects are those of its name alone', () => {
  const files = { ...debian, '/etc/bash.bashrc': `${DEBIAN_BASHRC}umask 027\n`, '/root/.bashrc': 'umask 022' }
  expect(decided(files, { ...LEAST, match: 'interactive' }).verdict).toBe('compliant')
  expect(decided(files, { ...LEAST, match: 'root' }).verdict).toBe('drifted')
  expect(decided(files, LEAST).verdict).toBe('drifted')
})

test.skipIf(cannotAsk(['bash', 'script']))('bash in a terminal finds the same conditions true', () => {
  const asked = [...ON_TERMINAL, ...OFF_TERMINAL].map((each) => `if ${each}; then echo yes; else echo no; fi`)
  const file = join(temporaryDirectory(), 'conditions')
  writeFileSync(file, `${asked.join('\n')}\nexit\n`)
  const shown = execFileSync('script', ['-qec', `bash --rcfile ${file} -i`, '/dev/null'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(shown.match(/yes|no/g)).toEqual([...ON_TERMINAL.map(() => 'yes'), ...OFF_TERMINAL.map(() => 'no')])
})

test.each(['readonly TMOUT=600', 'declare -r TMOUT=600', 'typeset -rx TMOUT=600', 'TMOUT=600; readonly TMOUT'])(
  '%s cannot be changed',
  (text) => {
    const wanted = { name: 'shell:TMOUT.readonly', value: 'yes', match: 'login' }
    expect(decided({ ...debian, '/etc/profile.d/a.sh': text }, wanted).verdict).toBe('compliant')
    expect(decided({ ...debian, '/etc/profile.d/a.sh': 'TMOUT=600' }, wanted).verdict).toBe('drifted')
  },
)

test('what is wrong in the home of root is found', () => {
  const files = { ...debian, '/etc/profile.d/a.sh': 'umask 027', '/root/.profile': 'umask 022' }
  expect(decided(files, { ...LEAST, match: 'login' }).verdict).toBe('compliant')
  const { verdict, text } = decided(files, { ...LEAST, match: 'root' })
  expect(verdict).toBe('drifted')
  expect(text).toContain('/root/.profile:1')
})

test('the home of root is the one of its own line', () => {
  const passwd = 'toor-root:x:1000:1000::/home/other:/bin/sh\nroot:x:0:0:root:/var/root:/bin/bash\n'
  const files = { ...debian, '/etc/passwd': passwd, '/etc/profile.d/a.sh': 'umask 027' }
  const wanted = { ...LEAST, match: 'root' }
  expect(decided({ ...files, '/home/other/.profile': 'umask 022' }, wanted).text).not.toContain('/home/other')
  expect(decided({ ...files, '/var/root/.profile': 'umask 022' }, wanted).text).toContain('/var/root/.profile:1')
})

test('pam_umask starts with what login.defs says, which groups of one’s own loosen', () => {
  const files = { ...debian, '/etc/pam.d/login': 'session optional pam_umask.so', '/etc/login.defs': 'UMASK 027' }
  expect(decided(files, LEAST).verdict).toBe('compliant')
  expect(decided({ ...files, '/etc/login.defs': 'UMASK 027\nUSERGROUPS_ENAB yes' }, LEAST).verdict).toBe('drifted')
})

test.each([
  ['Debian', debian, ['/etc/bash.bashrc', '/etc/profile.d/zz-driftgate.sh']],
  ['Red Hat', redHat, ['/etc/profile.d/zz-driftgate.sh']],
])('a fix on %s is enough for every start, and a second one does nothing', (_name, stock, written) => {
  let files: Readonly<Record<string, string>> = stock
  const all: readonly Partial<SettingDesired>[] = [
    LEAST,
    TIME,
    { name: 'shell:TMOUT.readonly', value: 'yes' },
    { name: 'shell:TMOUT.exported', value: 'yes' },
  ]
  for (const wanted of all) {
    const { verdict, writes } = decided(files, wanted)
    expect(verdict).toBe('drifted')
    expect(Object.keys(writes).toSorted()).toEqual(written)
    files = { ...files, ...writes }
    expect(decided(files, wanted).verdict).toBe('compliant')
  }
  expect(all.map((wanted) => decided(files, wanted).verdict)).toEqual(all.map(() => 'compliant'))
})

// What bash(1) says under ENVIRONMENT: what a shell exports, those that it starts have, and nothing is read-only in them.
test.each([
  ['a timeout that the login exports', 'export TMOUT=600', '', 'compliant'],
  ['one that it does not export', 'TMOUT=600', '', 'drifted'],
  ['one that the bashrc takes away', 'readonly TMOUT=600; export TMOUT', 'TMOUT=0', 'drifted'],
  ['one that the bashrc makes shorter', 'export TMOUT=600', 'TMOUT=60', 'compliant'],
  ['one that the bashrc gives where none is', 'export TMOUT=600', '[ -n "$TMOUT" ] || TMOUT=9999', 'compliant'],
  ['one that some users have', '[ "$(id -u)" -gt 199 ] && export TMOUT=600', '', 'drifted'],
])('a shell after the login has %s', (_, profile, bashrc, verdict) => {
  const files = { ...debian, '/etc/profile.d/a.sh': profile, '/etc/bash.bashrc': bashrc }
  expect(decided(files, { ...TIME, match: 'interactive' }).verdict).toBe(verdict)
})

test('a fix keeps what stands in its file, and begins a line of its own', () => {
  const file = '/etc/profile.d/zz-driftgate.sh'
  const { writes } = decided({ ...debian, [file]: 'true' }, { ...LEAST, match: 'login' })
  expect(writes[file]).toMatch(/^true\numask 0?027\b/)
})

test('the PATH of root is that of its login', () => {
  const effective = effectiveOn(shellSettings, { ...debian, '/root/.profile': 'PATH=$PATH:~/bin:.' }, 'PATH')
  if (typeof effective === 'string') throw new Error(effective)
  const shown = effective.map((each) => valueOf(each, shellSettings.rulesOf({ section: '', key: 'PATH' })))
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/root/bin:.'
  expect(new Set(shown)).toEqual(new Set([path]))
})

test('what is not known is no value that is written', () => {
  const files = { ...debian, '/etc/profile.d/a.sh': 'TMOUT=$(some-program)' }
  expect(decided(files, { name: 'shell:TMOUT', match: 'login' }).verdict).toBe('unknown')
})

// dash prints an error, and does not come to the next line.
test.each([
  ['export A =b', true],
  [': ${A,b}', true],
  ['export A=b', false],
])('whether dash stops at %j: %s', (line, stops) => {
  const effective = effectiveOn(shellSettings, { ...debian, '/etc/profile.d/a.sh': `${line}\numask 027\n` }, 'umask')
  if (typeof effective === 'string') throw new Error(effective)
  const ofDash = effective.filter(({ scope }) => scope === 'a login shell (sh) of a user')
  expect(ofDash.map(({ winners, doubt }) => [winners[0]?.unclear ?? doubt].some((why) => why !== undefined))).toContain(
    stops,
  )
})

test.each([
  ['zoe:x:1000:100::/home/zoe:/bin/zsh', 'unknown'],
  ['zoe:x:1000:100::/home/zoe:/usr/bin/fish', 'unknown'],
  ['zoe:x:1000:100::/home/zoe:/usr/sbin/nologin', 'compliant'],
  ['zoe:x:100:100::/home/zoe:/bin/zsh', 'compliant'],
  ['zoe:x:1000:100::/home/zoe:/bin/bash', 'compliant'],
])('the umask where %j is an account: %s', (account, verdict) => {
  const files = { ...debian, '/etc/passwd': `${account}\n`, '/etc/profile.d/a.sh': 'umask 027\n' }
  expect(decided(files, { ...LEAST, match: 'login' }).verdict).toBe(verdict)
})

test('no message tells to remove the line of an account whose GECOS field has a umask', () => {
  const files = {
    '/bin/bash': '/etc/bash.bashrc',
    '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nbob:x:1001:1001:Bob,umask=0:/home/bob:/bin/bash\n',
    '/etc/pam.d/login': 'session required pam_umask.so umask=027\n',
    '/lib/security/pam_umask.so': '',
  }
  const { verdict, text } = decided(files, { value: { at_least: '027' } })
  expect(verdict).toBe('drifted')
  expect(text).toContain('remove umask= from the GECOS field with usermod -c')
  expect(text).not.toContain('remove the lines')
})
