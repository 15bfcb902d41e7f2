import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/core/decision.ts'
import { known, type Reading, unknown } from '../../../src/core/observation.ts'
import {
  decideArchive,
  type ArchiveWanted,
  type ArchiveAction,
  type ArchiveContext,
  type ArchiveState,
} from '../../../src/resources/archive/decide.ts'

const SUM = 'ab'.repeat(32)
const OTHER_SUM = 'cd'.repeat(32)
const MARKER = '/opt/app/bin/app'

type Wanted = Extract<ArchiveContext, { ensure: 'present' }>

/** A row of the tables: what the policy says, what is there. */
interface Row {
  readonly properties?: Partial<ArchiveWanted>
  /** What the archive's path holds; undefined for nothing. */
  readonly archive?: Partial<ArchiveState>
  readonly creates?: Reading<boolean>
  readonly context?: Partial<Wanted>
}

const EXISTS = known(true)
const MISSING = known(false)
const FILE: Partial<ArchiveState> = {}
const GOOD: Partial<ArchiveState> = { checksum: known(SUM) }
const BAD: Partial<ArchiveState> = { checksum: known(OTHER_SUM) }

function decide({ properties = {}, archive, creates, context = {} }: Row): Decision<ArchiveAction> {
  const desired: ArchiveWanted = {
    name: '/tmp/app.tar.gz',
    ensure: 'present',
    url: 'https://example.com/app.tar.gz',
    owner: 'app',
    group: '20',
    cleanup: false,
    tries: 3,
    max_size: '2GiB',
    max_extracted_size: '10GiB',
    ...properties,
  }
  const wanted: Wanted = {
    ensure: 'present',
    owner: { text: 'app', id: known(10) },
    group: { text: '20', id: known(20) },
    creates,
    downloadObstacles: [],
    extractObstacles: [],
    ...context,
  }
  if (archive === undefined) return decideArchive(desired, absentWith(wanted))
  const state: ArchiveState = {
    kind: 'file',
    owner: { id: 10, name: 'app' },
    group: { id: 20, name: undefined },
    ...archive,
  }
  return decideArchive(desired, { kind: 'present', state, context: wanted })
}

function absentWith(context: ArchiveContext): { readonly kind: 'absent'; readonly context: ArchiveContext } {
  return { kind: 'absent', context }
}

function summary({ drift, plan }: Decision<ArchiveAction>): readonly [readonly string[], string | undefined] {
  const text =
    plan.kind === 'act' ? plan.text : plan.kind === 'refuse' ? `refused: ${plan.obstacles[0].reason}` : undefined
  return [drift.map(({ property }) => property), text]
}

const EXTRACT: Partial<ArchiveWanted> = { extract_parent: '/opt/app', creates: MARKER }
const CLEANUP: Partial<ArchiveWanted> = { ...EXTRACT, cleanup: true }
const SUMMED: Partial<ArchiveWanted> = { ...EXTRACT, checksum: SUM }
const SUMMED_CLEANUP: Partial<ArchiveWanted> = { ...CLEANUP, checksum: SUM }

const D = 'Would have downloaded'
const E = 'Would have extracted'
const C = 'Would have cleaned up'

// The table "Decision Table" of the design of the type.
describe('decision table', () => {
  test.each<[string, Row, readonly string[], string | undefined]>([
    ['creates file exists', { properties: EXTRACT, creates: EXISTS }, [], undefined],
    ['creates file missing', { properties: EXTRACT, creates: MISSING, archive: FILE }, ['creates'], E],
    ['cleanup: false + archive missing', {}, ['ensure'], D],
    ['archive checksum mismatch', { properties: { checksum: SUM }, archive: BAD }, ['checksum'], D],
    ['archive owner mismatch', { archive: { owner: { id: 1, name: 'daemon' } } }, ['owner'], D],
    ['archive group mismatch', { archive: { group: { id: 1, name: 'daemon' } } }, ['group'], D],
  ])('%s', (_name, row, drift, text) => {
    expect(summary(decide(row))).toEqual([drift, text])
  })

  test('ensure: absent + archive missing is stable', () => {
    const desired = { ensure: 'absent' } as const
    expect(summary(decideArchive({ ...base(), ...desired }, absentWith(desired)))).toEqual([[], undefined])
  })

  test.each<[ArchiveState['kind'], string, string]>([
    ['file', 'present', 'Would have removed'],
    ['symlink', 'symlink', 'Would have removed'],
    ['fifo', 'fifo', 'Would have removed'],
    ['directory', 'directory', 'refused: /tmp/app.tar.gz is a directory; an archive resource only removes files'],
  ])('ensure: absent + a %s', (kind, observed, text) => {
    const state = { kind, owner: { id: 0, name: 'root' }, group: { id: 0, name: 'root' } }
    const context = { ensure: 'absent' } as const
    const decision = decideArchive({ ...base(), ensure: 'absent' }, { kind: 'present', state, context })
    expect(summary(decision)).toEqual([['ensure'], text])
    expect(decision.drift).toEqual([{ property: 'ensure', desired: 'absent', observed }])
    expect(decision.ensure).toEqual({ desired: 'absent', observed })
  })
})

function base(): ArchiveWanted {
  return {
    name: '/tmp/app.tar.gz',
    ensure: 'present',
    url: 'https://example.com/app.tar.gz',
    owner: 'app',
    group: '20',
    cleanup: false,
    tries: 3,
    max_size: '2GiB',
    max_extracted_size: '10GiB',
  }
}

// The table "Decision Matrix" of the provider's design: archive, creates, checksum, cleanup.
describe('decision matrix', () => {
  test.each<[string, Row, readonly string[], string | undefined]>([
    ['no, no, n/a, false', { properties: SUMMED, creates: MISSING }, ['ensure', 'creates'], `${D}. ${E}`],
    ['yes, no, yes, false', { properties: SUMMED, creates: MISSING, archive: GOOD }, ['creates'], E],
    ['yes, yes, yes, false', { properties: SUMMED, creates: EXISTS, archive: GOOD }, [], undefined],
    ['no, yes, n/a, true', { properties: SUMMED_CLEANUP, creates: EXISTS }, [], undefined],
    ['yes, yes, yes, true', { properties: SUMMED_CLEANUP, creates: EXISTS, archive: GOOD }, ['cleanup'], C],
  ])('%s', (_name, row, drift, text) => {
    expect(summary(decide(row))).toEqual([drift, text])
  })
})

describe('what the tables leave open', () => {
  test.each<[string, Row, readonly string[], string | undefined]>([
    ['nothing there, cleanup', { properties: CLEANUP, creates: MISSING }, ['creates'], `${D}. ${E}. ${C}`],
    [
      'archive there, cleanup, not unpacked',
      { properties: CLEANUP, creates: MISSING, archive: FILE },
      ['creates'],
      `${E}. ${C}`,
    ],
    [
      'wrong archive there, cleanup, not unpacked',
      { properties: SUMMED_CLEANUP, creates: MISSING, archive: BAD },
      ['creates', 'checksum'],
      `${D}. ${E}. ${C}`,
    ],
    [
      'wrong archive there, unpacked',
      { properties: SUMMED, creates: EXISTS, archive: BAD },
      ['checksum'],
      `${D}. ${E}`,
    ],
    [
      'a left-over is only removed, whatever it is',
      { properties: SUMMED_CLEANUP, creates: EXISTS, archive: { ...BAD, owner: { id: 1, name: undefined } } },
      ['cleanup'],
      C,
    ],
    ['unpacked without a marker', { properties: { extract_parent: '/opt' } }, ['ensure'], `${D}. ${E}`],
    [
      'the archive alone says that it was unpacked',
      { properties: { extract_parent: '/opt' }, archive: FILE },
      [],
      undefined,
    ],
    [
      'every drift is told',
      {
        properties: SUMMED,
        creates: MISSING,
        archive: { ...BAD, owner: { id: 1, name: undefined }, group: { id: 2, name: 'bin' } },
      },
      ['creates', 'owner', 'group', 'checksum'],
      `${D}. ${E}`,
    ],
    ['a link that leads nowhere', { archive: { kind: 'symlink' } }, ['ensure'], D],
    [
      'a link that leads nowhere, unpacked',
      { properties: EXTRACT, creates: EXISTS, archive: { kind: 'symlink' } },
      [],
      undefined,
    ],
    [
      'a directory in its place',
      { archive: { kind: 'directory' } },
      ['ensure'],
      'refused: /tmp/app.tar.gz exists as a directory; cannot manage it as an archive',
    ],
    [
      'a directory in its place, not unpacked either',
      { properties: EXTRACT, creates: MISSING, archive: { kind: 'directory' } },
      ['ensure', 'creates'],
      'refused: /tmp/app.tar.gz exists as a directory; cannot manage it as an archive',
    ],
    [
      'a marker that nothing would create',
      { properties: { creates: MARKER }, creates: MISSING, archive: FILE },
      ['creates'],
      `refused: ${MARKER} is missing, and without extract_parent nothing is unpacked that could create it`,
    ],
  ])('%s', (_name, row, drift, text) => {
    expect(summary(decide(row))).toEqual([drift, text])
  })

  test('both values of every drift', () => {
    const archive = { ...BAD, owner: { id: 1, name: 'daemon' }, group: { id: 2, name: undefined } }
    const { drift } = decide({ properties: { ...SUMMED, checksum: SUM.toUpperCase() }, creates: MISSING, archive })
    expect(drift).toEqual([
      { property: 'creates', desired: MARKER, observed: null },
      { property: 'owner', desired: 'app', observed: 'daemon' },
      { property: 'group', desired: '20', observed: '2' },
      { property: 'checksum', desired: SUM, observed: OTHER_SUM },
    ])
    expect(decide({ properties: CLEANUP, creates: EXISTS, archive: FILE }).drift).toEqual([
      { property: 'cleanup', desired: 'absent', observed: 'present' },
    ])
    expect(decide({ archive: { kind: 'symlink' } }).drift).toEqual([
      { property: 'ensure', desired: 'present', observed: 'symlink', note: 'the link leads nowhere' },
    ])
  })

  test('a checksum is compared without case', () => {
    expect(decide({ properties: { checksum: SUM.toUpperCase() }, archive: GOOD }).drift).toEqual([])
  })

  test.each<[string, Row, ArchiveAction]>([
    [
      'download, readable by its owner alone',
      { properties: CLEANUP, creates: MISSING },
      { kind: 'install', download: { uid: 10, gid: 20, mode: 0o600 }, extract: true, cleanup: true },
    ],
    [
      'no network for an archive that is right',
      { properties: EXTRACT, creates: MISSING, archive: FILE },
      { kind: 'install', download: undefined, extract: true, cleanup: false },
    ],
    [
      'nobody to own it',
      { context: { owner: { text: 'ghost', id: known(null) }, group: { text: 'wraith', id: known(null) } } },
      { kind: 'impossible', message: 'user "ghost" does not exist; group "wraith" does not exist' },
    ],
    [
      'an owner that could not be looked up',
      { context: { owner: { text: 'app', id: unknown('timeout', 'no answer') } } },
      { kind: 'impossible', message: 'no answer' },
    ],
  ])('action: %s', (_name, row, action) => {
    expect(decide(row).plan).toMatchObject({ kind: 'act', action })
  })
})

describe('unknown is neither there nor missing', () => {
  const DENIED = unknown('permission-denied', '/opt: denied')

  test('a marker that cannot be seen: the missing archive is no proof of drift', () => {
    const decision = decide({ properties: EXTRACT, creates: DENIED })
    expect(decision).toMatchObject({ drift: [], unknown: [{ property: 'creates', reason: 'permission-denied' }] })
    expect(decision.plan).toEqual({ kind: 'none' })
  })

  test('a marker that cannot be seen stands in the way of a fix of what is proved', () => {
    const { drift, plan } = decide({ properties: SUMMED, creates: DENIED, archive: BAD })
    expect(drift.map(({ property }) => property)).toEqual(['checksum'])
    expect(plan).toMatchObject({ kind: 'act', obstacles: [{ reason: '/opt: denied' }] })
  })

  test.each<[string, Row, string]>([
    [
      'checksum',
      { properties: { checksum: SUM }, archive: { checksum: unknown('not-observable', 'EIO') } },
      'checksum',
    ],
    ['owner', { archive: FILE, context: { owner: { text: 'app', id: unknown('timeout', 'x') } } }, 'owner'],
    ['group', { archive: FILE, context: { group: { text: 'app', id: unknown('timeout', 'x') } } }, 'group'],
  ])('%s', (_name, row, property) => {
    expect(decide(row)).toMatchObject({ drift: [], unknown: [{ property }], plan: { kind: 'none' } })
  })

  test('an archive that cannot be read is downloaded again where it must be unpacked', () => {
    const archive = { checksum: unknown('not-observable', 'EIO') }
    expect(summary(decide({ properties: SUMMED, creates: MISSING, archive }))).toEqual([['creates'], `${D}. ${E}`])
  })
})

describe('obstacles', () => {
  const noParent = { reason: '/srv is not a directory: it does not exist', missing: '/srv' }
  const inTheWay = { reason: '/opt/app is not a directory' }
  const context = { downloadObstacles: [noParent], extractObstacles: [inTheWay] }

  test.each<[string, Row, readonly unknown[]]>([
    ['of both steps', { properties: EXTRACT, creates: MISSING, context }, [noParent, inTheWay]],
    ['of unpacking alone', { properties: EXTRACT, creates: MISSING, archive: FILE, context }, [inTheWay]],
    ['of downloading alone', { context }, [noParent]],
    ['of neither', { properties: CLEANUP, creates: EXISTS, archive: FILE, context }, []],
    [
      'a marker that nothing would create may come from elsewhere',
      { properties: { creates: MARKER }, creates: MISSING },
      [{ reason: expect.stringContaining(MARKER), missing: MARKER }],
    ],
    [
      'nobody has that name',
      { archive: FILE, context: { owner: { text: 'ghost', id: known(null) } } },
      [{ reason: 'user "ghost" does not exist' }],
    ],
  ])('%s', (_name, row, obstacles) => {
    expect(decide(row).plan).toMatchObject({ kind: 'act', obstacles })
  })

  test('an owner that does not exist is said with the drift', () => {
    const { drift } = decide({ archive: FILE, context: { group: { text: 'ghosts', id: known(null) } } })
    expect(drift).toEqual([
      { property: 'group', desired: 'ghosts', observed: '20', note: 'group "ghosts" does not exist' },
    ])
  })
})

test('effects are those of the steps, in their order', () => {
  const properties = { extract_parent: '/opt/app', creates: MARKER, cleanup: true }
  const { ensure, plan } = decide({ properties, creates: MISSING })
  const effects = ['download', 'extract', 'remove'].map((kind) => ({ kind, object: 'the archive' }))
  expect({ ensure, plan }).toMatchObject({ ensure: { desired: 'present', observed: 'absent' }, plan: { effects } })
})
