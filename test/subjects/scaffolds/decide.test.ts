import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/model/decision.ts'
import { known, unknown } from '../../../src/model/observation.ts'
import { decideScaffold } from '../../../src/subjects/scaffolds/decide.ts'
import type {
  RenderedFile,
  ScaffoldAction,
  ScaffoldContext,
  ScaffoldState,
  Sighting,
  ScaffoldDesired,
} from '../../../src/subjects/scaffolds/state.ts'
import { statusOf } from '../../../src/subjects/scaffolds/state.ts'
import { testDecisionCases } from '../decision-cases.ts'

const target = '/etc/app'
const attributes = { uid: 0, gid: 0, mode: 0o640 }
const desiredDigest = { sha256: 'aa', sizeBytes: 1 }
const observedDigest = { sha256: 'bb', sizeBytes: 2 }

const EQUAL: Sighting = { kind: 'equal' }
const MISSING: Sighting = { kind: 'missing' }
const DIFFERENT = {
  kind: 'different',
  observed: observedDigest,
  attributes,
  comparison: { kind: 'not-shown' },
} as const satisfies Sighting
const DENIED: Sighting = unknown('permission-denied', '/etc/app/x: permission denied')

function rendered(path: string, hasPost = false): RenderedFile {
  return { path, bytes: Buffer.from(path), digest: desiredDigest, hasPost }
}

interface Seen {
  readonly files?: Readonly<Record<string, Sighting>>
  readonly unexpected?: readonly string[]
  readonly leftovers?: readonly string[]
}

type Directory = Extract<ScaffoldState, { kind: 'directory' }>

function directory({ files = {}, unexpected = [], leftovers = [] }: Seen): Directory {
  return {
    kind: 'directory',
    files: Object.entries(files).map(([path, seen]) => ({ ...rendered(path), seen })),
    leftovers: known(leftovers.map((path) => ({ path }))),
    missingDirectories: [],
    unexpected: known(unexpected.map((path) => ({ path }))),
  }
}

const two: ScaffoldContext = { kind: 'rendered', files: [rendered('a'), rendered('b')], directories: [], obstacles: [] }

function decide(
  desired: Partial<ScaffoldDesired>,
  state: ScaffoldState | undefined,
  context: ScaffoldContext = two,
): Decision<ScaffoldAction> {
  const properties = {
    name: target,
    ensure: 'present',
    source: 'templates',
    engine: 'jet',
    skip_empty: false,
    purge: false,
    ...desired,
  } as const
  return decideScaffold(
    properties,
    state === undefined ? { kind: 'absent', context } : { kind: 'present', state, context },
  )
}

const SIGHTINGS: Readonly<Record<string, Sighting>> = { equal: EQUAL, missing: MISSING, different: DIFFERENT }

testDecisionCases('scaffolds', {
  wanted: ['ensure', 'purge'],
  observed: ['target', 'files', 'unexpected', 'leftovers'],
  decide: (desired, { target: place, files, ...others }) => {
    if (place === 'missing') {
      const context = desired['ensure'] === 'absent' ? ({ kind: 'not-needed' } as const) : two
      return decide(desired, undefined, context)
    }
    const seen = Object.entries(files ?? {}).map(([path, word]) => [path, SIGHTINGS[String(word)] ?? DENIED])
    return decide(desired, directory({ files: Object.fromEntries(seen), ...others }))
  },
})

test('the lists of the status hold absolute paths', () => {
  const state = directory({ files: { a: EQUAL, 'd/b': DIFFERENT, c: MISSING, u: DENIED }, unexpected: ['x/y'] })
  expect(statusOf(target, state)).toEqual({
    changed: ['/etc/app/d/b', '/etc/app/c'],
    stable: ['/etc/app/a'],
    purged: ['/etc/app/x/y'],
  })
})

test('every file is a drift of its own, sorted by path', () => {
  const state = directory({ files: { b: DIFFERENT, d: MISSING }, unexpected: ['a', 'c'] })
  expect(decide({ purge: true }, state).drift).toEqual([
    { property: 'ensure', path: 'a', desired: 'absent', observed: 'present' },
    { property: 'content', path: 'b', desired: desiredDigest, observed: observedDigest },
    { property: 'ensure', path: 'c', desired: 'absent', observed: 'present' },
    { property: 'ensure', path: 'd', desired: 'present', observed: 'absent' },
  ])
})

test('the plan writes differing files and keeps the attributes of replaced ones', () => {
  const previous = Buffer.from('old')
  const state = {
    ...directory({ files: { a: EQUAL, b: DIFFERENT, c: MISSING, d: { ...DIFFERENT, previous } }, unexpected: ['x'] }),
    missingDirectories: ['sub'],
  }
  expect(decide({ purge: true }, state).plan).toMatchObject({
    action: {
      kind: 'render',
      directories: ['sub'],
      files: [
        { path: 'b', bytes: Buffer.from('b'), attributes },
        { path: 'c', bytes: Buffer.from('c') },
        { path: 'd', bytes: Buffer.from('d'), attributes, previous },
      ],
      purge: ['x'],
    },
    obstacles: [],
  })
})

test('a text difference goes from observed to desired; one that cannot be shown says why', () => {
  const texts: Sighting = {
    ...DIFFERENT,
    comparison: { kind: 'texts', observed: 'old\n', desired: 'new\n', isPrivate: false },
  }
  const hidden: Sighting = { ...DIFFERENT, comparison: { kind: 'not-shown', note: 'too large' } }
  const [first, second] = decide({}, directory({ files: { a: texts, b: hidden } })).drift
  expect(first?.diff).toBe('--- observed\n+++ desired\n@@ -1 +1 @@\n-old\n+new\n')
  expect(second).toMatchObject({ note: 'too large' })
})

test('a file that a post command concerns says that it must not be changed by it', () => {
  const state: Directory = { ...directory({}), files: [{ ...rendered('a', true), seen: DIFFERENT }] }
  expect(decide({}, state).drift[0]?.note).toMatch(/^a post command applies to this file/)
})

describe('unreadable files', () => {
  test('beside a drift it is listed, alone it leaves nothing to plan', () => {
    const unread = [{ property: 'content', reason: 'permission-denied', detail: 'a: /etc/app/x: permission denied' }]
    expect(decide({}, directory({ files: { a: DENIED, b: MISSING } }))).toMatchObject({
      drift: [{ path: 'b' }],
      unknown: unread,
      plan: { kind: 'act' },
    })
    expect(decide({}, directory({ files: { a: DENIED, b: EQUAL } }))).toMatchObject({
      drift: [],
      unknown: unread,
      plan: { kind: 'none' },
    })
  })

  test('a tree that cannot be listed matters where it is purged', () => {
    const state = { ...directory({ files: { a: EQUAL } }), unexpected: unknown('permission-denied', 'sub') }
    expect(decide({ purge: true }, state).unknown).toEqual([
      { property: 'ensure', reason: 'permission-denied', detail: 'sub' },
    ])
    expect(decide({}, state).unknown).toEqual([])
    expect(statusOf(target, state).purged).toEqual([])
  })

  test('files that must be gone and cannot be seen are no absence', () => {
    const state = { ...directory({}), leftovers: unknown('permission-denied', 'sub') }
    expect(decide({ ensure: 'absent' }, state)).toMatchObject({
      drift: [],
      unknown: [{ property: 'ensure', reason: 'permission-denied', detail: 'sub' }],
      plan: { kind: 'none' },
    })
    expect(statusOf(target, state).stable).toEqual([])
  })
})

describe('obstacles of a fix', () => {
  test('something that a file must not replace, each reason once', () => {
    const refused: Sighting = { kind: 'refused', observed: 'directory', reason: 'it is a directory' }
    const decision = decide({}, directory({ files: { a: refused, b: refused, c: MISSING } }))
    expect(decision.drift[0]).toEqual({
      property: 'ensure',
      path: 'a',
      desired: 'present',
      observed: 'directory',
      note: 'it is a directory',
    })
    expect(decision.plan).toMatchObject({ kind: 'act', obstacles: [{ reason: 'it is a directory' }] })
  })

  test('removing through a link that leads out of the target', () => {
    const state = { ...directory({}), leftovers: known([{ path: 'a/b', refused: 'a leads out' }, { path: 'c' }]) }
    const decision = decide({ ensure: 'absent' }, state)
    expect(decision.drift).toMatchObject([{ path: 'a/b', note: 'a leads out' }, { path: 'c' }])
    expect(decision.plan).toMatchObject({ obstacles: [{ reason: 'a leads out; refusing to remove from /etc/app' }] })
  })

  test('a target that is no directory', () => {
    expect(decide({}, { kind: 'other', found: 'file' })).toEqual({
      ensure: { desired: 'present', observed: 'file' },
      drift: [{ property: 'ensure', desired: 'present', observed: 'file' }],
      unknown: [],
      plan: {
        kind: 'refuse',
        obstacles: [{ reason: '/etc/app exists as a file; cannot manage it as a directory' }],
      },
    })
    expect(decide({ ensure: 'absent' }, { kind: 'other', found: 'file' }).plan).toEqual({ kind: 'none' })
  })

  test('a target whose parent cannot hold it', () => {
    const obstacles = [{ reason: '/etc is not a directory' }]
    const plan = decide({}, undefined, { ...two, obstacles }).plan
    expect(plan).toMatchObject({ action: { kind: 'render', files: [{ path: 'a' }, { path: 'b' }] }, obstacles })
  })
})

describe('without templates', () => {
  const obstacle = { reason: 'source /t does not exist', missing: '/t', fatal: 'invalid' } as const

  test.each(['present', 'absent'] as const)('a source that is not there decides nothing for %s', (ensure) => {
    const context = { kind: 'unusable', obstacle } as const
    const decision = decide({ ensure }, directory({}), context)
    expect(decision).toMatchObject({
      ensure: { desired: ensure, observed: 'present' },
      drift: [{ property: 'content', note: obstacle.reason }],
      plan: { action: { kind: 'impossible', message: obstacle.reason }, obstacles: [obstacle] },
    })
    expect(decide({ ensure }, undefined, context).ensure.observed).toBe('absent')
  })

  test('a scaffold that renders nothing is never stable', () => {
    const context = { kind: 'rendered', files: [], directories: [], obstacles: [] } as const
    for (const state of [directory({}), undefined]) {
      expect(decide({}, state, context).plan).toMatchObject({ kind: 'refuse', obstacles: [{ fatal: 'invalid' }] })
    }
    expect(decide({ ensure: 'absent' }, directory({}), context).plan).toEqual({ kind: 'none' })
  })
})

test('a scaffold that must be absent has removals as effects, and was present', () => {
  expect(decide({ ensure: 'absent' }, directory({ leftovers: ['a', 'b'] }))).toMatchObject({
    ensure: { desired: 'absent', observed: 'present' },
    plan: { action: { kind: 'remove', files: ['a', 'b'] }, effects: [{ kind: 'remove', object: '2 files' }] },
  })
  expect(decide({ ensure: 'absent' }, { kind: 'other', found: 'symlink' })).toMatchObject({
    plan: { effects: [{ kind: 'remove', object: 'the link' }] },
  })
})
