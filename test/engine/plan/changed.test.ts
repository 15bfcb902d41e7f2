import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/model/verdict.ts'
import { createPlanning, type Planning, type Resources } from '../../support/planning.ts'
import '../../support/seed.ts'
import { cases } from '../../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

// A machine of six files and what changes on it between the plan and the fix. Which resources that concerns is said by the
// table, not by the code that is tested.

const [UID, GID] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]

function file(content: string, extra: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { ensure: 'present', content, owner: String(UID), group: String(GID), mode: '0644', ...extra }
}

/** The files of the machine, and what is wrong with each. */
const NAMES = ['content', 'mode', 'absent', 'link', 'gone', 'data'] as const
type Name = (typeof NAMES)[number]

interface Site extends Planning {
  readonly at: (name: string) => string
}

/** A change of the policy: properties that replace those of a resource. */
type Edits = Readonly<Partial<Record<Name | 'new', Readonly<Record<string, unknown>>>>>

/** With one that requires the resource which the change is about, and is blocked with it. */
function policyOf(site: Site, on: Name | undefined, { new: added, ...edits }: Edits = {}): Resources {
  const wanted: Readonly<Record<Name, Readonly<Record<string, unknown>>>> = {
    content: file('wanted\n'),
    mode: file('same\n', { mode: '0600' }),
    absent: file('new\n'),
    link: file('no link\n'),
    gone: { ensure: 'absent' },
    data: file('{{ lookup("data.word") }}\n'),
  }
  const list: Resources[number][] = NAMES.map((name) => ['file', site.at(name), { ...wanted[name], ...edits[name] }])
  if (on !== undefined) list.push(['file', site.at('next'), file('next\n', { require: [`file#${site.at(on)}`] })])
  return added === undefined ? list : [...list, ['file', site.at('new'), added]]
}

function makeSite(on: Name | undefined): Site {
  const directory = temporaryDirectory()
  const root = join(directory, 'root')
  mkdirSync(root)
  const at = (name: string): string => join(root, name)
  const site = { ...createPlanning(directory), at }
  writeFileSync(at('content'), 'found\n', { mode: 0o644 })
  writeFileSync(at('mode'), 'same\n', { mode: 0o644 })
  symlinkSync('nowhere', at('link'))
  writeFileSync(at('gone'), 'still here\n', { mode: 0o644 })
  writeFileSync(at('data'), 'old\n', { mode: 0o644 })
  site.write(policyOf(site, on))
  return site
}

/** Every action of a fix on a path changes one of these; the inode number tells a new file from the old one. */
function stateOf(path: string): unknown {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const { ino, mode, uid, gid, nlink, mtimeMs, ctimeMs } = stat
  const held = stat.isSymbolicLink()
    ? readlinkSync(path)
    : stat.isDirectory()
      ? readdirSync(path)
      : readFileSync(path, 'latin1')
  return { ino, mode, uid, gid, nlink, mtimeMs, ctimeMs, held }
}

interface Change {
  readonly what: string
  /** Which resource it concerns, and what comes of that; of all others nothing changes. */
  readonly on?: Name
  readonly verdict?: Verdict
  readonly make: (site: Site) => void
  readonly edits?: Edits
  readonly word?: string
}

/** A text that is neither in the policy nor on the machine. */
const OTHER = fc.stringMatching(/^[A-Z]{1,8}$/).map((text) => `${text}\n`)
const nothing = (): void => undefined
const replaced = (site: Site, name: string, make: (path: string) => void): void => {
  rmSync(site.at(name), { recursive: true, force: true })
  make(site.at(name))
}

/** Changes that matter neither to the plan nor to the fix. */
const HARMLESS: readonly fc.Arbitrary<Change>[] = [
  fc.constantFrom(...NAMES.filter((name) => name !== 'absent' && name !== 'link')).map((name) => ({
    what: `time of ${name}`,
    make: (site) => utimesSync(site.at(name), 1, 1),
  })),
  fc.constantFrom('content', 'mode', 'gone', 'data').map((name) => ({
    what: `the same anew in ${name}`,
    make(site) {
      const bytes = readFileSync(site.at(name))
      writeFileSync(`${site.at(name)}.tmp`, bytes, { mode: 0o644 })
      renameSync(`${site.at(name)}.tmp`, site.at(name))
    },
  })),
  OTHER.map((text) => ({ what: 'a file beside them', make: (site) => writeFileSync(site.at('beside'), text) })),
  OTHER.map((text) => ({ what: 'one more in the policy', make: nothing, edits: { new: file(text) } })),
  OTHER.map((text) => ({ what: 'content of what goes anyway', make: (site) => writeFileSync(site.at('gone'), text) })),
]

const refused = (on: Name, what: string, rest: Omit<Change, 'on' | 'what' | 'verdict'>): Change => ({
  on,
  what: `${what} of ${on}`,
  verdict: 'fix-failed',
  ...rest,
})

const AS_WANTED: Change = {
  on: 'gone',
  what: 'as wanted',
  verdict: 'compliant',
  make: (site) => rmSync(site.at('gone')),
}

const HARMFUL: readonly fc.Arbitrary<Change>[] = [
  fc
    .tuple(fc.constantFrom('content', 'mode', 'data'), OTHER)
    .map(([on, text]) => refused(on as Name, 'content', { make: (site) => writeFileSync(site.at(on), text) })),
  fc
    .tuple(fc.constantFrom('content', 'mode', 'data'), fc.constantFrom(0o600, 0o640, 0o666, 0o700, 0o4755))
    .map(([on, mode]) =>
      // Of `mode` 0600 is what is wanted: then there is nothing left to do.
      on === 'mode' && mode === 0o600
        ? { on, what: 'as wanted', verdict: 'compliant', make: (site: Site) => chmodSync(site.at('mode'), mode) }
        : refused(on as Name, 'mode', { make: (site) => chmodSync(site.at(on), mode) }),
    ),
  fc.tuple(fc.constantFrom('absent', 'link'), OTHER).map(([on, text]) =>
    refused(on as Name, 'a file in place', {
      make: (site) => replaced(site, on, (path) => writeFileSync(path, text, { mode: 0o644 })),
    }),
  ),
  fc
    .constantFrom(...NAMES.filter((name) => name !== 'absent'))
    .map((on) => (on === 'gone' ? AS_WANTED : refused(on, 'removal', { make: (site) => rmSync(site.at(on)) }))),
  fc
    .constantFrom(...NAMES)
    .map((on) =>
      refused(on, 'a directory in place', { make: (site) => replaced(site, on, (path) => mkdirSync(path)) }),
    ),
  fc.constantFrom<Name>('content', 'mode', 'data', 'gone').map((on) =>
    refused(on, 'a link to a directory in place', {
      make: (site) => replaced(site, on, (path) => symlinkSync('/', path)),
    }),
  ),
  fc
    .tuple(fc.constantFrom<Name>('content', 'mode', 'absent', 'link'), OTHER)
    .map(([on, content]) => refused(on, 'policy', { make: nothing, edits: { [on]: { content } } })),
  fc
    .tuple(fc.constantFrom<Name>('content', 'mode', 'absent', 'link', 'data'), fc.constantFrom('0640', '0755'))
    .map(([on, mode]) => refused(on, 'mode in the policy', { make: nothing, edits: { [on]: { mode } } })),
  OTHER.map((word) => refused('data', 'data', { make: nothing, word: word.trim() })),
  ...(needsRoot === undefined
    ? [
        fc
          .tuple(fc.constantFrom<Name>('content', 'mode', 'data'), fc.integer({ min: 1, max: 60_000 }))
          .map(([on, id]) => refused(on, 'owner', { make: (site) => chownSync(site.at(on), id, GID) })),
      ]
    : []),
]

const CHANGE: fc.Arbitrary<Change> = fc.oneof(
  { weight: 1, arbitrary: fc.oneof(...HARMLESS) },
  { weight: 3, arbitrary: fc.oneof(...HARMFUL) },
)

test('a change between a plan and its fix is refused exactly where it matters', async () => {
  const counts = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(CHANGE, async ({ what, on, verdict, make, edits, word = 'first' }) => {
      const site = makeSite(on)
      const plan = await site.plan({ word: 'first' })
      make(site)
      site.write(policyOf(site, on, edits))
      const before = on === undefined ? undefined : stateOf(site.at(on))
      const run = await site.fix(plan, { word })
      const verdicts = Object.fromEntries(
        run.policies.flatMap(({ resources }) =>
          resources.map((result) => [result.name.replace(/^.*\//, ''), result.verdict]),
        ),
      )
      const expected: Readonly<Record<string, Verdict>> = {
        ...Object.fromEntries(NAMES.map((name) => [name, 'fixed'])),
        ...(on === undefined ? {} : { [on]: verdict ?? 'fixed', next: verdict === 'fix-failed' ? 'blocked' : 'fixed' }),
        ...(edits?.new === undefined ? {} : { new: 'drifted' }),
      }
      expect({ what, verdicts }).toEqual({ what, verdicts: expected })
      counts.set(verdict ?? 'fixed', (counts.get(verdict ?? 'fixed') ?? 0) + 1)
      if (verdict !== 'fix-failed' || on === undefined) return
      expect({ what, state: stateOf(site.at(on)) }).toEqual({ what, state: before })
      const [result] = run.policies.flatMap(({ resources }) => resources.filter((each) => each.name === site.at(on)))
      expect({ what, message: result?.message }).toEqual({
        what,
        message: expect.stringMatching(/^changed since the plan: /) as string,
      })
    }),
    { numRuns: cases({ usual: 80, soak: 4_000 }), examples: [[AS_WANTED]] },
  )
  // Most of them matter, and none of the three is left out.
  expect(Object.fromEntries(counts)).toEqual({
    'fix-failed': expect.toSatisfy((count: number) => count > 40) as number,
    fixed: expect.toSatisfy((count: number) => count > 8) as number,
    compliant: expect.toSatisfy((count: number) => count > 0) as number,
  })
})
