import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { known, unknown } from '../../../../src/model/observation.ts'
import { type Return, RETURNS } from '../../../../src/subjects/pam/stack/control.ts'
import { expandPam, type PamEntry, type PamFiles, type PamType } from '../../../../src/subjects/pam/stack/stack.ts'
import { findWay, runStack } from '../../../../src/subjects/pam/stack/walk.ts'
import { askLibpam, MODULES } from '../../../support/libpam.ts'
import { needsPrograms } from '../../../support/programs.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const cannotAsk =
  needsPrograms('python3') ?? (existsSync(join(MODULES, 'pam_debug.so')) ? undefined : 'needs the modules of Linux-PAM')

// A test cannot resume a conversation, so "incomplete" is not a return value here.
const CODES: readonly Return[] = RETURNS.filter((name) => name !== 'incomplete')

const ACTIONS = ['ignore', 'ok', 'done', 'bad', 'die', 'reset', '1', '1', '2', '3', '9']

const code = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Return>('success') },
  { weight: 3, arbitrary: fc.constantFrom<Return>('auth_err', 'ignore', 'new_authtok_reqd') },
  { weight: 1, arbitrary: fc.constantFrom(...CODES) },
)

const pairs = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom('success', 'auth_err', 'ignore', 'default'), fc.constantFrom(...CODES)),
    fc.constantFrom(...ACTIONS),
  ),
  { minLength: 1, maxLength: 4 },
)

const control = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('required', 'requisite', 'sufficient', 'optional', 'Required') },
  {
    weight: 6,
    arbitrary: pairs.map((each) => `[${each.map(([name, action]) => `${name}=${action}`).join(' ')}]`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[]',
      '[success]',
      '[default]',
      '[success = ok default = 2 ]',
      '[ success=okauth_err=die ]',
      '[success=0]',
      '[nonsense=ok]',
      '[success=1x]',
      'success=ok',
      'nonsense',
      '[success=ok\\]',
    ),
  },
)

/** A line, in which `@` stands for the type and `NAME` for a module with what it answers. */
const line = fc.oneof(
  {
    weight: 14,
    arbitrary: fc
      .tuple(control, code, fc.constantFrom(' ', '\t', ' \\\n  ', '\\\n# comment\n'))
      .map(([written, answer, blank]) => `@${blank} ${written} pam_debug.so ANSWER=${answer}`),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        control,
        fc.constantFrom('pam_permit.so', 'pam_deny.so', 'pam_missing.so', `${MODULES}/pam_permit.so`, 'pam_deny'),
        fc.constantFrom('', ' # comment', '#', ' [an argument \\] of [three] blanks]'),
      )
      .map(([written, module, after]) => `@ ${written} ${module}${after}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('include', 'substack', 'Substack'), fc.constantFrom('a', 'b', 'missing'))
      .map(([keyword, name]) => `@ ${keyword} HERE/${name}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '# comment \\',
      '  ',
      '@',
      '@ required',
      'nonsense required pam_permit.so',
      '-@ required pam_missing.so',
      '-@ optional pam_missing.so',
      'session required pam_deny.so',
      'account required pam_deny.so',
      'INCLUDE HERE/b',
    ),
  },
)

interface Sample {
  readonly type: PamType
  /** By name. `b` includes nothing, and `a` at the most `b`. */
  readonly files: Readonly<Record<string, string>>
}

const service: fc.Arbitrary<Sample> = fc
  .tuple(
    fc.constantFrom<PamType>('auth', 'auth', 'account', 'session'),
    fc.array(line, { minLength: 1, maxLength: 7 }),
    fc.array(line, { maxLength: 4 }),
    fc.array(
      line.filter((each) => !each.includes('HERE')),
      { maxLength: 4 },
    ),
    fc.constantFrom(undefined, '@ required pam_permit.so', '@ required pam_deny.so'),
  )
  .map(([type, service, a, b, other]) => {
    const lines = { service, a: a.map((each) => each.replaceAll('HERE/a', 'HERE/b')), b }
    const files = { ...lines, ...(other === undefined ? {} : { other: [other] }) }
    const argument = { auth: 'auth', account: 'acct', session: 'open_session', password: 'chauthtok' }[type]
    return {
      type,
      files: Object.fromEntries(
        Object.entries(files).map(([name, written]) => [
          name,
          written
            .join('\n')
            .replaceAll(/^(-?)@/gm, `$1${type}`)
            .replaceAll('INCLUDE', '@include')
            .replaceAll('ANSWER', argument)
            .concat('\n'),
        ]),
      ),
    }
  })

const hostileService = service.chain((each) => hostile(fc.constant(each.files)).map((files) => ({ ...each, files })))

describe.skipIf(cannotAsk)('as libpam itself has it', () => {
  test('generated stacks end with the same answer, and success is found where there is one', () => {
    const root = temporaryDirectory()
    const samples = sample(hostileService, { usual: 400, soak: 40_000 }, 1)
    const questions = samples.map(({ files, type }, index) => {
      const directory = join(root, String(index))
      mkdirSync(directory)
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(directory, name), text.replaceAll('HERE', directory))
      }
      return { directory, type, files }
    })
    const answers = askLibpam(questions.map((each) => [each.directory, 'service', each.type]))
    const counts = new Map<string, number>()
    const wrong = questions.flatMap(({ directory, type, files }, index) => {
      const ours = ourAnswer(directory, type)
      counts.set(ours, (counts.get(ours) ?? 0) + 1)
      // It crashes at an include without a name.
      const isSafe = ours === 'unknown' || (answers[index] === 'crashed' && ours !== 'success')
      return isSafe || ours === answers[index] ? [] : [{ files, type, ours, theirs: answers[index] }]
    })
    expectAgreement({ reader: 'pam.d', program: join(MODULES, 'pam_debug.so'), texts: samples.length }, wrong)
    // What is generated must not be refused all the time.
    expect(counts.get('unknown')).toBeLessThan(samples.length / 5)
    expect(counts.get('success')).toBeGreaterThan(samples.length / 20)
    expect(counts.size).toBeGreaterThan(10)
  })
})

function ourAnswer(directory: string, type: PamType): string {
  const files = filesIn(directory)
  const stack = expandPam(files, 'service', type)
  if (stack.kind === 'unknown') return 'unknown'
  if (stack.value === null) return 'not started'
  const { entries } = stack.value
  if (!entries.every(hasAnswer)) return 'unknown'
  const returned = answerOf(type)
  const answer = runStack(entries, returned)
  const way = findWay(entries, {
    returns: (entry) => [returned(entry)],
    seen: () => 0,
    isSought: (_seen, reached) => reached === 'success',
  })
  expect(Array.isArray(way)).toBe(answer === 'success')
  return answer
}

/** Whether it is known what a module answers: spoilt arguments of pam_debug have it answer something else. */
function hasAnswer({ kind, exists, module, name, arguments: given }: PamEntry): boolean {
  if (kind !== 'module' || !exists) return true
  if (name !== 'pam_debug') return module.endsWith('.so')
  const [, answer] = /^(?:auth|acct|open_session)=(\w+)$/.exec(given.join(' ')) ?? []
  return (CODES as readonly (string | undefined)[]).includes(answer)
}

function filesIn(directory: string): PamFiles {
  return {
    find: (name) => {
      const path = name.startsWith('/') ? name : join(directory, name)
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return unknown('invalid', 'a directory')
      return known(existsSync(path) ? { path, text: readFileSync(path, 'utf8') } : null)
    },
    hasModule: (module) => known(existsSync(module.startsWith('/') ? module : join(MODULES, module))),
  }
}

/** What the modules of the samples answer. @see pam_debug(8), pam_deny(8) */
function answerOf(type: PamType): (entry: PamEntry) => Return {
  return ({ kind, exists, name, arguments: given }) => {
    if (kind === 'fails') return 'perm_denied'
    if (!exists) return 'module_unknown'
    if (name === 'pam_deny') return type === 'session' ? 'session_err' : 'auth_err'
    const [, answer] = given[0]?.split('=') ?? []
    return name === 'pam_debug' ? (answer as Return) : 'success'
  }
}
