import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectiveOf } from '../../../../src/settings/effective.ts'
import { recordFiles } from '../../../../src/settings/files.ts'
import { limits } from '../../../../src/subjects/pam/settings/limits/index.ts'
import { machineOf } from '../../../support/setting-machine.ts'
import { effectiveOn, type Files } from '../../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'

/** What is not Debian has another pam_limits. */
const cannotAsk = process.geteuid?.() !== 0 || !existsSync('/etc/debian_version') || !existsSync('/etc/pam.d/su')

const KEYS = { 'hard.core': 'ulimit -Hc', 'soft.core': 'ulimit -Sc' }

const line = fc
  .tuple(
    fc.constantFrom('*', 'root', 'daemon', '@daemon', '@root', 'bin', '@bin', '# *'),
    fc.constantFrom('hard', 'soft', '-', 'HARD'),
    fc.constantFrom('core', 'core', 'core', 'memlock'),
    fc.constantFrom('0', '100', '2000', 'unlimited', '0 # none', 'many', '-', '-1'),
    fc.constantFrom(' ', '\t', '  '),
  )
  .map(([domain, type, item, value, between]) => ['', domain, type, item, value].join(between))

const text = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: line },
      { weight: 1, arbitrary: fc.constantFrom('', '# a comment', 'bin -', 'daemon hard core -', '* hard') },
    ),
    {
      maxLength: 5,
    },
  )
  .map((lines) => `${lines.join('\n')}\n`)

const tree = fc.record({
  'limits.conf': text,
  'limits.d/b.conf': text,
  'limits.d/a.conf': text,
  'limits.d/c': text,
  'limits.d/.d.conf': text,
})

const USERS = ['root', 'daemon', 'bin'] as const

test.skipIf(cannotAsk)('the limits of a session of su equal those of generated files', () => {
  const directory = temporaryDirectory()
  // The first says what there is without any.
  const trees = [{ 'limits.conf': '' }, ...sample(hostile(tree), { usual: 500, soak: 5_000 }, 1)]
  const script = ['export LC_ALL=C']
  for (const [index, files] of trees.entries()) {
    const at = join(directory, String(index))
    mkdirSync(join(at, 'limits.d'), { recursive: true })
    for (const [name, content] of Object.entries(files)) writeFileSync(join(at, name), content)
    const asked = Object.values(KEYS).join('; ')
    script.push(
      `mount --bind ${at} /etc/security; (su -s /bin/bash ${USERS[index % 3]} -c 'echo $(${asked})' </dev/null 2>/dev/null || echo refused); umount /etc/security`,
    )
  }
  const path = join(directory, 'ask.sh')
  writeFileSync(path, script.join('\n'))
  const answers = execFileSync('unshare', ['--mount', 'bash', path], { encoding: 'utf8' }).trim().split('\n')
  expect(answers).toHaveLength(trees.length)
  const [unsetHard = '', unsetSoft = ''] = answers[0]?.split(' ') ?? []
  const differences = trees.flatMap((files, index) => {
    const user = USERS[index % 3] ?? ''
    const there = Object.entries(files).map(([name, content]) => [`/etc/security/${name}`, content])
    const machine = machineOf({ ...Object.fromEntries(there), '/etc/debian_version': '12\n' })
    const assignments = limits.read(recordFiles(machine).files)
    if (assignments.kind === 'unknown') return []
    if (answers[index] === 'refused') return []
    let isUnclear = false
    const [hard, soft] = Object.keys(KEYS).map((key) => {
      const match = `user=${user},group=${user}`
      const effective = effectiveOf(limits, assignments.value, { section: '', key }, { match })
      isUnclear ||= effective.kind === 'unknown'
      const winner = effective.kind === 'known' ? effective.value[0].winners[0] : undefined
      // Who is left alone keeps what there is without any.
      return winner?.key === key ? winner : undefined
    })
    if (isUnclear) return []
    // Nothing may be soft beyond what is hard.
    const asNumber = (value = 'unlimited'): number =>
      /^(?:unlimited|-1)$/.test(value) ? Number.POSITIVE_INFINITY : Number(value)
    const [hardSaid, softSaid] = answers[index]?.split(' ') ?? []
    const wrong: string[] = []
    if (hard !== undefined && asNumber(hard.value) !== asNumber(hardSaid))
      wrong.push(`hard ${hardSaid}, not ${hard.value}`)
    if (hard === undefined && hardSaid !== unsetHard) wrong.push(`hard ${hardSaid}, not unset`)
    const most = Math.min(asNumber(soft?.value ?? unsetSoft), asNumber(hardSaid))
    if (most !== asNumber(softSaid)) wrong.push(`soft ${softSaid}, not ${most}`)
    return wrong.map((each) => `${user}: ${each} ${JSON.stringify(files)}`)
  })
  expectAgreement({ reader: 'limits.conf', program: 'su', texts: trees.length }, differences)
})

const LIMITED = 'session required pam_limits.so\n'
const NONE = '* hard core 0\n'

test.each<[title: string, files: Files, expected: unknown]>([
  ['without a service the files count', {}, [[undefined, '0']]],
  ['so they do where all sessions read them', { login: LIMITED, su: '@include login\n' }, [[undefined, '0']]],
  [
    'a service that does not call the module has no limits',
    { login: LIMITED, su: 'session required pam_unix.so\n' },
    [[undefined, '0'], ['sessions of su, which have no limits']],
  ],
  [
    'nor one that may pass it by',
    { login: `session sufficient pam_unix.so\n${LIMITED}` },
    [[undefined, '0'], ['sessions of login, which have no limits']],
  ],
  [
    'nor sshd that asks no PAM',
    { sshd: LIMITED, '../ssh/sshd_config': 'UsePAM no\n', '../../usr/sbin/sshd': '' },
    [[undefined, '0'], ['sessions of sshd, which have no limits']],
  ],
  [
    'a service without sessions of users is not looked at',
    { passwd: 'session required pam_unix.so\n' },
    [[undefined, '0']],
  ],
  [
    'the file that all lines name counts alone',
    { login: 'session required pam_limits.so conf=/etc/own\n', '../own': '* hard core 5\n' },
    [[undefined, '5']],
  ],
  [
    'lines that name different files are unknown',
    { login: 'session required pam_limits.so conf=/etc/own\n', su: LIMITED },
    '/etc/pam.d/login:1 and /etc/pam.d/su:1 have pam_limits read different files',
  ],
])('sessions: %s', (_title, services, expected) => {
  const there = Object.entries(services).map(([name, content]) => [join('/etc/pam.d', name), content])
  const effective = effectiveOn(
    limits,
    { '/etc/security/limits.conf': NONE, ...Object.fromEntries(there) },
    'hard.core',
  )
  const counts =
    typeof effective === 'string'
      ? effective
      : effective.map(({ scope, winners: [winner] }) => [scope, ...(winner === undefined ? [] : [winner.value])])
  expect(counts).toEqual(expected)
})

// As su shows.
test.each(['daemon hard core -', 'daemon - core -', 'daemon hard core - # none'])('%j sets no limit', (line) => {
  const effective = effectiveOn(limits, { '/etc/security/limits.conf': `* hard core 0\n${line}\n` }, 'hard.core')
  expect(effective).toMatchObject([
    { winners: [{ value: '0' }] },
    { scope: 'daemon', winners: [{ value: 'unlimited' }] },
  ])
})

// As su shows: the hard limit of a session of daemon stays unlimited.
test.each([
  ['daemon soft core 2000', true],
  ['daemon soft core 2000\ndaemon - core many', true],
  ['daemon soft core many', false],
  ['daemon soft core 2000\ndaemon hard core 5', false],
])('after %j, whether pam_limits skips the hard limit of a weaker line is %s', (lines, isSkipped) => {
  const effective = effectiveOn(limits, { '/etc/security/limits.conf': `${lines}\n* - core 100\n` }, 'hard.core')
  const skipped = 'pam_limits skips this line for daemon, which has a soft limit before it'
  expect(typeof effective === 'string' && effective.endsWith(skipped)).toBe(isSkipped)
})
