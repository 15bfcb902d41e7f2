import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { faillock } from '../../../../src/subjects/pam/settings/faillock.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { askLibpam, MODULES } from '../../../support/libpam.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'
import { cannotAsk, effectiveOn, type Files, named, valueOn } from '../../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const MAIN = '/etc/security/faillock.conf'
const SITE = '/etc/security/faillock-site.conf'

/** By scope, the value that counts; of flags whether they do. */
function countsOn(files: Files, key: string): unknown {
  const effective = effectiveOn(faillock, files, key)
  if (typeof effective === 'string') return effective
  return effective.map(({ scope, winners, remedy }) => [scope, winners[0]?.value, remedy])
}

test('a file named on every line counts', () => {
  const files = {
    [MAIN]: 'deny = 5\n',
    [SITE]: 'deny = 1000\n',
    '/etc/pam.d/login': '@include common-auth\n',
    '/etc/pam.d/common-auth': `auth required pam_faillock.so preauth conf=${SITE}\n`,
  }
  expect(countsOn(files, 'deny')).toEqual([[undefined, '1000', undefined]])
  expect(countsOn({ ...files, [SITE]: '' }, 'deny')).toEqual([[undefined, undefined, undefined]])
})

test('a file named on some lines counts for those, with its defaults', () => {
  const files = {
    [MAIN]: 'deny = 5\naudit\n',
    [SITE]: 'deny = 1000\n',
    '/etc/pam.d/login': 'auth required pam_faillock.so preauth\n',
    '/etc/pam.d/sshd': `auth required pam_faillock.so preauth conf=${SITE}\n`,
  }
  const scope = `lines with conf=${SITE}`
  const remedy = `set it in ${SITE}, too`
  expect(countsOn(files, 'deny')).toEqual([
    [undefined, '5', undefined],
    [scope, '1000', remedy],
  ])
  expect(countsOn(files, 'audit')).toEqual([
    [undefined, '', undefined],
    [scope, undefined, remedy],
  ])
})

test('a line in an included file counts, with any spelling of its type', () => {
  const files = {
    [MAIN]: 'deny = 5\n',
    '/etc/pam.d/sshd': 'auth substack /etc/own/stack\n',
    '/etc/own/stack': '-AUTH [default=die success=ok] \\\n /lib/security/pam_faillock.so [deny=9]\n',
  }
  expect(countsOn(files, 'deny')).toEqual([[undefined, '9', undefined]])
})

test.each<[text: string, time: string | undefined]>([
  ['unlock_time = 900', undefined],
  ['even_deny_root', '600'],
  ['even_deny_root\nunlock_time = 900', '900'],
  ['even_deny_root\nunlock_time = never', 'never'],
  ['root_unlock_time = 60\neven_deny_root\nunlock_time = 900', '60'],
  ['even_deny_root\nroot_unlock_time = soon', '600'],
])('how long root is locked: %j', (text, time) => {
  expect(valueOn(faillock, { [MAIN]: `${text}\n` }, 'root_unlock_time')).toBe(time)
})

// Of pam_faillock 1.5.2, which reads numbers with sscanf(3) and no time of more than seven days.
test.each<[text: string, key: string, value: string | undefined]>([
  ['unlock_time = 604800', 'unlock_time', '604800'],
  ['unlock_time = 604801', 'unlock_time', '600'],
  ['unlock_time = 900\nunlock_time = 2592000', 'unlock_time', '900'],
  ['fail_interval = 2592000', 'fail_interval', '900'],
  ['even_deny_root\nroot_unlock_time = 2592000', 'root_unlock_time', '600'],
  ['deny\r=\v1', 'deny', '1'],
  ['deny = -3', 'deny', '-3'],
  ['deny = +3', 'deny', '+3'],
])('what pam_faillock takes: %j, %s', (text, key, value) => {
  expect(valueOn(faillock, { [MAIN]: `${text}\n` }, key)).toBe(value)
})

test.each([
  ['-3', false],
  ['65536', false],
  ['65539', true],
  ['4x', true],
  ['0x4', false],
])('deny = %s is at most 5: %s', (value, isAccepted) => {
  const { lower } = faillock.rulesOf({ section: '', key: 'deny' }).order
  expect(lower?.(value, '5') === value).toBe(isAccepted)
})

test('a line that is too long makes pam_faillock fail', () => {
  const files = { [MAIN]: `# ${'x'.repeat(1100)}\ndeny = 4\n` }
  expect(countsOn(files, 'deny')).toMatch(/:1: the line is too long, so pam_faillock fails$/)
})

test('a file that a line names and that does not exist makes pam_faillock fail', () => {
  const files = { [MAIN]: 'deny = 5\n', '/etc/pam.d/login': `auth required pam_faillock.so preauth conf=${SITE}\n` }
  expect(countsOn(files, 'deny')).toMatch(/does not exist, so pam_faillock fails$/)
})

test('each of several lines with another value counts', () => {
  const stack = (preauth: string, authfail: string): string =>
    `auth required pam_faillock.so preauth ${preauth}\nauth [default=die] pam_faillock.so authfail ${authfail}\nauth sufficient pam_faillock.so authsucc\n`
  const values = (...given: readonly [string, string]): unknown =>
    countsOn({ [MAIN]: 'deny = 4\n', '/etc/pam.d/login': stack(...given) }, 'deny')
  expect(values('deny=100', 'deny=5')).toEqual([
    [undefined, '4', undefined],
    ['/etc/pam.d/login:1', '100', undefined],
    ['/etc/pam.d/login:2', '5', undefined],
  ])
  expect(values('deny=5', 'deny=5')).toEqual([
    [undefined, '4', undefined],
    ['/etc/pam.d/login', '5', undefined],
  ])
})

test('a carriage return behind a comment belongs to the comment', () => {
  expect(valueOn(faillock, { [MAIN]: 'deny = 1000 # tries\r\n' }, 'deny')).toBe('1000')
})

const line = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', ' ', '\t'),
        fc.constantFrom('deny', 'deny', 'DENY', 'unlock_time'),
        fc.constantFrom('=', ' = ', ' ', '\t=', ' == '),
        fc.constantFrom('1', '2', '4', '+3', '04', '2x', 'x2', '0', '65538', ''),
        fc.constantFrom('', ' # tries', ' ', '#', ' 5'),
      )
      .map((parts) => parts.join('')),
  },
  fc.constantFrom('# deny = 1', '', '  ', 'silent', 'audit # all', 'even_deny_root', 'nonsense = 4'),
)
const texts: fc.Arbitrary<Files> = fc
  .array(line, { maxLength: 4 })
  .map((lines) => ({ [MAIN]: lines.map((each) => `${each}\n`).join('') }))

/** After how many failures the answer is not awaited any more. */
const MOST = 5

const needs =
  cannotAsk(['python3'], 'root') ?? (existsSync(join(MODULES, 'pam_faillock.so')) ? undefined : 'needs pam_faillock')

test.skipIf(needs)(named('a login is locked after as many failures as pam_faillock counts', needs), () => {
  const root = temporaryDirectory()
  const all = sample(hostile(texts), { usual: 80, soak: 5_000 })
  const questions = all.flatMap((files, index) => {
    const at = join(root, String(index))
    mkdirSync(join(at, 'tally'), { recursive: true })
    writeFileSync(join(at, 'conf'), files[MAIN] ?? '')
    const given = `conf=${at}/conf dir=${at}/tally nodelay silent`
    writeFileSync(join(at, 'before'), `auth required pam_faillock.so preauth ${given}\nauth required pam_permit.so\n`)
    writeFileSync(join(at, 'failure'), `auth required pam_faillock.so authfail ${given}\n`)
    return Array.from({ length: MOST }, () =>
      ['failure', 'before'].map((service) => [at, service, 'auth', 'daemon']),
    ).flat()
  })
  const answers = askLibpam(questions)
  const wrong = all.flatMap((files, index): unknown[] => {
    const own = answers.slice(index * 2 * MOST, (index + 1) * 2 * MOST).filter((_, at) => at % 2 === 1)
    const written =
      valueOn(faillock, { ...files, '/etc/pam.d/login': 'auth required pam_faillock.so preauth\n' }, 'deny') ?? ''
    if (written.startsWith('unknown: ')) return []
    const deny = Number.parseInt(written, 10) % 65_536
    const ours = own.map((_, failures) => (deny > 0 && failures + 1 >= deny ? 'auth_err' : 'success'))
    return ours.join() === own.join() ? [] : [{ files, written, own }]
  })
  expect(answers.filter((answer) => answer === 'auth_err').length).toBeGreaterThan(all.length)
  expectAgreement({ reader: 'faillock.conf', program: join(MODULES, 'pam_faillock.so'), texts: all.length }, wrong)
})
