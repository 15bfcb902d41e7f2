import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sourceText } from '../../../../../src/policy/document/lines.ts'
import { GRAMMAR } from '../../../../../src/subjects/goss/files/grammar.ts'
import { judgeResource } from '../../../../../src/subjects/goss/files/judge.ts'
import { measureGoss } from '../../../../../src/subjects/goss/files/measure/index.ts'
import { readGossTree } from '../../../../../src/subjects/goss/files/read-tree.ts'
import { type GossContent, GOSS_TYPES, type Measured } from '../../../../../src/subjects/goss/files/resource.ts'
import { createLocalTarget } from '../../../../../src/host/live/local-target.ts'
import type { Target } from '../../../../../src/host/target.ts'
import { askRealGoss, findRealGoss, type GossAnswer } from '../../../../support/real-goss.ts'
import { cases } from '../../../../support/soak.ts'
import { type Case, DIFFERENCES, differenceOf } from './differences.ts'
import { matchersAbout, matchersAboutText } from './matchers.ts'
import { CONTENTS, type Subject, subjectsHere } from './subjects.ts'

type Resource = Readonly<Record<string, GossContent>>
type Document = Readonly<Record<string, Readonly<Record<string, Resource>>>>

const real = findRealGoss()
const why = 'missing' in real ? ` (${real.missing})` : ''

/** How many resources are made of each subject, and of contents. */
const VARIANTS = cases({ usual: 9, soak: 200 })
const MATCHINGS = cases({ usual: 700, soak: 20_000 })

/** How many of these have answers that are kept for machines without Goss. */
const RECORDED = 700

type Measurements = Map<string, Promise<ReadonlyMap<string, Measured>>>

/** Each subject is measured once, on a machine that is read once. */
function measureOnce(subject: Subject, { target, kept }: Machine): Promise<ReadonlyMap<string, Measured>> {
  const { type, id, given = {} } = subject
  const key = JSON.stringify([type, id, subjectOf(given)])
  const earlier = kept.get(key)
  if (earlier !== undefined) return earlier
  const measured = measureGoss({ type, id, given }, GRAMMAR[type].judged, target, new AbortController().signal)
  if (type !== 'matching') kept.set(key, measured)
  return measured
}

interface Machine {
  readonly target: Target
  readonly kept: Measurements
}

/** What says how to look, without what is wanted. */
function subjectOf(given: Resource): readonly GossContent[] {
  const told = ['local-address', 'no-follow-redirects', 'method', 'server']
  return told.map((name) => given[name] ?? null)
}

/** Resources about a subject: matchers of what was measured of it. */
async function resourcesAbout(subject: Subject, machine: Machine): Promise<readonly Resource[]> {
  const measured = await measureOnce(subject, machine)
  const { type, id, given = {} } = subject
  const { judged, required, id: own = '' } = GRAMMAR[type]
  // Goss waits for ever for a writer of a pipe.
  const asked = id.endsWith('/pipe') ? judged.filter((each) => !/^(?:contents|md5|sha\d+)$/.test(each)) : judged
  const arbitrary = fc.record(
    Object.fromEntries(asked.map((attribute) => [attribute, wantedFor(measured.get(attribute), attribute)])),
    { requiredKeys: [...required, ...(required.length === 0 ? judged.slice(0, 1) : [])] },
  )
  const made = fc.sample(arbitrary, { numRuns: VARIANTS, seed: 15 })
  return made.map((wanted): Resource => ({ ...given, [own]: id, ...wanted }))
}

/** A gate mostly lets the rest be looked at. */
function wantedFor(measured: Measured | undefined, attribute: string): fc.Arbitrary<GossContent> {
  // A text that is no number makes Goss panic.
  if (measured?.kind !== 'known' && /^[ug]id$/.test(attribute)) return fc.constant(1)
  if (measured?.kind !== 'known') return fc.constantFrom<GossContent>('x', 1, ['x'], { not: 'x' })
  const { value } = measured
  const isText = typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'
  if (isText) return matchersAboutText(String(value.text))
  const matchers = matchersAbout(value as GossContent)
  return typeof value === 'boolean' ? fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, matchers) : matchers
}

const MATCHING: fc.Arbitrary<Resource> = fc.oneof(
  {
    weight: 3,
    arbitrary: CONTENTS.chain((content) => matchersAbout(content).map((matches): Resource => ({ content, matches }))),
  },
  fc
    .constantFrom('one\ntwo\n', 'Port 22\nPermitRootLogin no\n', '{"a": [1, 2]}', '')
    .chain((content) =>
      matchersAboutText(content).map((matches): Resource => ({ content, 'as-reader': true, matches })),
    ),
  fc
    .tuple(
      fc.constantFrom('a', 'a.b', 'a.#', 'c', 'a.0'),
      fc.constantFrom<GossContent>(1, 'x', { gt: 0 }, [1], { 'have-len': 2 }),
    )
    .map(([path, wanted]): Resource => ({
      content: '{"a": [1, 2], "c": "x"}',
      matches: { gjson: { [path]: wanted } },
    })),
  fc
    .tuple(
      fc.constantFrom<GossContent>('1.2.3', ['1.0.0', '2.1.0'], '1.2', '2:1.0-3'),
      fc.constantFrom('>=1.0.0', '<2.0.0', '>1.0.0 <3.0.0', '1.2.3 || 2.1.0', '1.x', '!=1.2.3'),
    )
    .map(([content, range]): Resource => ({ content, matches: { 'semver-constraint': range } })),
)

/** What driftgate says of a document, each with what the real Goss says. */
async function compare(document: Document, answers: readonly GossAnswer[], machine: Machine): Promise<readonly Case[]> {
  const said = new Map(
    answers.map((answer) => [`${answer.type} ${answer.id.split(': ')[0]} ${answer.attribute}`, answer]),
  )
  const { resources, problems } = readGossTree(sourceText('goss.yaml', JSON.stringify(document)))
  expect(problems.map(({ message }) => message)).toEqual([])
  const found: Case[] = []
  for (const resource of resources) {
    const { type, key, id, given } = resource
    const measured = await measureOnce({ type, id, given }, machine)
    for (const result of resource.isSkipped ? [] : judgeResource(resource, measured)) {
      const { attribute, written } = result.assertion
      const theirs = said.get(`${type} ${key} ${attribute}`)
      if (theirs === undefined) throw new Error(`Goss says nothing of ${type} ${key} ${attribute}`)
      const ours = result.kind === 'skipped' ? 'skip' : result.kind
      const reason = result.kind === 'unknown' ? result.unknown.detail : result.kind === 'fail' ? result.why : ''
      found.push({ type, id, attribute, written, ours, reason, theirs })
    }
  }
  return found
}

/** Disagreements that no deliberate difference explains, as lines. */
function unexplained(found: readonly Case[]): readonly string[] {
  return found
    .filter((each) => each.ours !== each.theirs.verdict && differenceOf(each) === undefined)
    .map(({ type, id, attribute, written, ours, reason, theirs }) => {
      const measured = JSON.stringify(theirs.actual)?.slice(0, 120)
      return `${type} ${id} ${attribute}: ${JSON.stringify(written)}: ${ours} (${reason}), Goss: ${theirs.verdict} of ${measured} ${theirs.error ?? ''}`
    })
}

/** Differences that nothing shows here, where all could be shown. */
function withoutExample(found: readonly Case[]): readonly string[] {
  const shown = new Set(found.filter((each) => each.ours !== each.theirs.verdict).map(differenceOf))
  // Where systemd runs, every service is known.
  const isBooted = existsSync('/run/systemd/system')
  return DIFFERENCES.filter((each) => !shown.has(each) && !(isBooted && each.guide.startsWith('A service'))).map(
    ({ guide }) => guide,
  )
}

function documentOf(resources: readonly (readonly [type: string, resource: Resource])[]): Document {
  const document: Record<string, Record<string, Resource>> = {}
  for (const [index, [type, resource]] of resources.entries()) (document[type] ??= {})[`r${index}`] = resource
  return document
}

describe.skipIf('missing' in real ? real.missing : undefined)(`the real Goss${why}`, () => {
  const program = 'program' in real ? real.program : ''

  test(
    'driftgate judges every type and matcher as Goss does, but for the differences that are meant',
    { timeout: 60_000 },
    async () => {
      const subjects = await subjectsHere()
      const machine: Machine = { target: createLocalTarget(), kept: new Map() }
      const made = await Promise.all(
        subjects.map(async (subject) =>
          (await resourcesAbout(subject, machine)).map((resource) => [subject.type, resource] as const),
        ),
      )
      const matchings = fc.sample(MATCHING, { numRuns: MATCHINGS, seed: 15 }).map((each) => ['matching', each] as const)
      const document = documentOf([...made.flat(), ...matchings])
      const answers = await askRealGoss(program, document, process.env)
      const found = await compare(document, answers, machine)
      expect(unexplained(found)).toEqual([])
      expect(withoutExample(found)).toEqual([])
      expect(found.length).toBeGreaterThan(2_000)
      expect(new Set(found.map(({ type }) => type))).toEqual(new Set(GOSS_TYPES))
      const verdicts = ['pass', 'fail', 'skip'].map(
        (verdict) => found.filter((each) => each.theirs.verdict === verdict).length,
      )
      expect(Math.min(...verdicts)).toBeGreaterThan(50)
    },
  )
})

// Where Goss cannot be built its answers about contents, which are the same everywhere, still count: a letter for each.
test('driftgate judges contents as Goss did when its answers were recorded', async () => {
  const resources = fc.sample(MATCHING, { numRuns: RECORDED, seed: 15 }).map((each) => ['matching', each] as const)
  const document = documentOf(resources)
  const file = 'test/subjects/goss/files/oracle/recorded-0.4.9.txt'
  if ('program' in real) {
    const answers = await askRealGoss(real.program, document, process.env)
    const letters = Object.keys(document['matching'] ?? {}).map(
      (key) => answers.find(({ id }) => id === key)?.verdict.slice(0, 1) ?? '?',
    )
    await expect(`${letters.join('')}\n`).toMatchFileSnapshot(join(process.cwd(), file))
  }
  const verdicts = { p: 'pass', f: 'fail', s: 'skip' } as const
  const answers = readFileSync(file, 'utf8')
    .trim()
    .split('')
    .map((letter, index): GossAnswer => {
      const verdict = verdicts[letter as keyof typeof verdicts]
      return { type: 'matching', id: `r${index}`, attribute: 'matches', verdict, actual: undefined, error: undefined }
    })
  const found = await compare(document, answers, { target: createLocalTarget(), kept: new Map() })
  const apart = found.filter(({ ours, theirs }) => ours !== theirs.verdict && ours !== 'unknown')
  expect(found).toHaveLength(RECORDED)
  // A letter does not tell why, which the differences ask for: what they are about is left out.
  expect(apart.filter(({ written }) => !/"or"|\/[ims]"|"equal":\[/.test(JSON.stringify(written)))).toEqual([])
})
