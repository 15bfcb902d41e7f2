import { chmodSync, chownSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judged, kernelProblem, withKernelRules } from '../../../support/audit-rules.ts'
import { cases } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const EVENTS = fileURLToPath(new URL('../../../support/audit-events.py', import.meta.url))

/** Nothing else on the machine logs in as these. */
const LOGINS = [4_242_000, 4_242_001]
const OF_TEST = ['auid>=4242000', 'auid!=unset']

const PERMISSIONS = fc.subarray(['r', 'w', 'x', 'a'], { minLength: 1 }).map((each) => each.join(''))
const WHO = fc.subarray(['auid=4242001', 'uid=0', 'euid=5555'], { maxLength: 1 })

interface Rules {
  readonly wanted: string
  readonly loaded: readonly string[]
}

/** A rule that is wanted of a file, and some that are about it, about its directory, or about all that these logins do. */
function rulesAbout(file: string, directory: string): fc.Arbitrary<Rules> {
  const rule = (action: string, place: string | undefined, words: readonly string[]): string =>
    [`-a ${action},exit`, '-F arch=b64', ...(place === undefined ? [] : [`-F ${place}`]), ...words].join(' ')
  const fields = (names: readonly string[]): readonly string[] => names.map((name) => `-F ${name}`)
  const place = fc.constantFrom(`path=${file}`, `path=${file}`, `dir=${directory}`, `path=${file}.rules`)
  const access = fc
    .tuple(fc.constantFrom('always', 'always', 'never'), place, PERMISSIONS, WHO, fc.boolean())
    .map(([action, where, permissions, who, isOfTest]) =>
      rule(action, where, [`-F perm=${permissions}`, ...fields(isOfTest ? [...OF_TEST, ...who] : who)]),
    )
  const anywhere = fc
    .tuple(fc.constantFrom('always', 'never', 'never'), WHO)
    .map(([action, who]) => rule(action, undefined, fields([...OF_TEST, ...who])))
  const first = access.map((text) => text.replace('-a', '-A'))
  const watch = PERMISSIONS.map((permissions) => `-w ${file} -p ${permissions}`)
  const kinds = [
    { weight: 6, arbitrary: access },
    { weight: 1, arbitrary: anywhere },
    { weight: 1, arbitrary: first },
    { weight: 1, arbitrary: watch },
  ]
  return fc.record({
    wanted: fc
      .tuple(PERMISSIONS, WHO)
      .map(([permissions, who]) =>
        rule('always', `path=${file}`, [`-F perm=${permissions}`, ...fields([...OF_TEST, ...who])]),
      ),
    loaded: fc.array(fc.oneof(...kinds), { maxLength: 3 }),
  })
}

const reason = kernelProblem()

/** A program with all permissions for all users, in a directory of its own. */
function programIn(directory: string): string {
  const file = join(directory, 'program')
  copyFileSync('/bin/true', file)
  chmodSync(directory, 0o777)
  chownSync(file, 5555, 5555)
  chmodSync(file, 0o777)
  return file
}

test.skipIf(reason)(
  `the kernel records every event of a covered rule${reason === undefined ? '' : `: ${reason}`}`,
  { timeout: 120_000 },
  () => {
    const directory = temporaryDirectory()
    const file = programIn(directory)
    const numRuns = cases({ usual: 30, soak: 2_000 })
    const pairs = fc.sample(rulesAbout(file, directory), { numRuns, seed: 1 })
    const sets = pairs.flatMap(({ wanted, loaded }) => [[wanted], loaded])
    const script = `printf %s "$1" | python3 "$2" "$3" "$4"`
    const printed = withKernelRules(script, [JSON.stringify(sets), EVENTS, file, LOGINS.join(',')])
    const recorded = JSON.parse(printed) as readonly (readonly string[])[]
    const told = pairs.map(({ wanted, loaded }, index) => {
      const [meant = [], seen = []] = recorded.slice(2 * index, 2 * index + 2)
      const lost = meant.filter((event) => !seen.includes(event))
      const isCovered = judged(wanted, loaded).every((word) => word === 'covered')
      return { wanted, loaded, lost, isRight: isCovered === (lost.length === 0), any: meant.length > 0 }
    })
    expect(told.filter(({ isRight, any }) => !isRight || !any)).toEqual([])
    // Both answers have to have been asked for.
    expect(told.filter(({ lost }) => lost.length === 0).length).toBeGreaterThan(numRuns / 20)
  },
)
