import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/model/decision.ts'
import { known, type Reading, unknown } from '../../../src/model/observation.ts'
import {
  decideArchive,
  type ArchiveDesired,
  type ArchiveAction,
  type ArchiveContext,
  type ArchiveState,
} from '../../../src/subjects/archives/decide.ts'
import { testDecisionCases } from '../decision-cases.ts'

const SUM = 'ab'.repeat(32)
const OTHER_SUM = 'cd'.repeat(32)
const MARKER = '/opt/app/bin/app'

type Wanted = Extract<ArchiveContext, { ensure: 'present' }>

/** A row of the tables: what the policy says, what is there. */
interface Row {
  readonly properties?: Partial<ArchiveDesired>
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
  const desired: ArchiveDesired = {
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
    owner: { written: 'app', ids: known({ is: 10 }), missing: [] },
    group: { written: '20', ids: known({ is: 20 }), missing: [] },
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

const EXTRACT: Partial<ArchiveDesired> = { extract_parent: '/opt/app', creates: MARKER }
const CLEANUP: Partial<ArchiveDesired> = { ...EXTRACT, cleanup: true }
const SUMMED: Partial<ArchiveDesired> = { ...EXTRACT, checksum: SUM }

const D = 'Would have downloaded'
const E = 'Would have extracted'

testDecisionCases('archives', {
  wanted: ['checksum', 'cleanup', 'creates', 'extract_parent'],
  observed: ['archive', 'creates', 'owner', 'group', 'downloadObstacles', 'extractObstacles'],
  decide: (properties, { archive, creates, ...context }) =>
    decide({
      properties,
      ...(archive === undefined ? {} : { archive: archive as Partial<ArchiveState> }),
      ...(creates === undefined ? {} : { creates: creates as Reading<boolean> }),
      context,
    }),
})

describe('an archive that must be gone', () => {
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

function base(): ArchiveDesired {
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

describe('cases beyond the tables', () => {
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
      { property: 'ensure', desired: 'present', observed: 'symlink', note: 'dangling link' },
    ])
  })

  test('a checksum is compared without case', () => {
    expect(decide({ properties: { checksum: SUM.toUpperCase() }, archive: GOOD }).drift).toEqual([])
  })
})

describe('unknown is neither there nor missing', () => {
  const DENIED = unknown('permission-denied', '/opt: denied')

  test('a marker that cannot be seen: the missing archive is no proof of drift', () => {
    const decision = decide({ properties: EXTRACT, creates: DENIED })
    expect(decision).toMatchObject({ drift: [], unknown: [{ property: 'creates', reason: 'permission-denied' }] })
    expect(decision.plan).toEqual({ kind: 'none' })
  })

  test('an unreadable marker is an obstacle to a fix of proven drift', () => {
    const { drift, plan } = decide({ properties: SUMMED, creates: DENIED, archive: BAD })
    expect(drift.map(({ property }) => property)).toEqual(['checksum'])
    expect(plan).toMatchObject({ kind: 'act', obstacles: [{ reason: '/opt: denied' }] })
  })

  test('an archive that cannot be read is downloaded again where it must be unpacked', () => {
    const archive = { checksum: unknown('not-observable', 'EIO') }
    expect(summary(decide({ properties: SUMMED, creates: MISSING, archive }))).toEqual([['creates'], `${D}. ${E}`])
  })
})

test('an owner that does not exist is said with the drift', () => {
  const { drift } = decide({
    archive: FILE,
    context: { group: { written: 'ghosts', ids: known({ is: -1 }), missing: ['ghosts'] } },
  })
  expect(drift).toEqual([
    { property: 'group', desired: 'ghosts', observed: '20', note: 'group "ghosts" does not exist' },
  ])
})

test('of owners that are accepted the one that is there stays, and a fix gives another file the first', () => {
  const owner = { written: { one_of: ['web', 'app'] }, ids: known({ one_of: [11, 10] }), missing: [] }
  expect(decide({ archive: FILE, context: { owner } }).drift).toEqual([])
  const group = { written: { not: '20' }, ids: known({ not: 20 }), missing: [] }
  const { drift, plan } = decide({ archive: FILE, context: { owner, group } })
  expect(drift).toEqual([{ property: 'group', desired: { not: '20' }, observed: '20' }])
  expect(plan).toMatchObject({
    obstacles: [{ reason: expect.stringContaining('cannot derive a value for group from its condition') }],
  })
  const absent = decide({ context: { owner } })
  expect(absent.plan).toMatchObject({ action: { download: { uid: 11, gid: 20 } }, obstacles: [] })
  const foreign = { ...FILE, owner: { id: 0, name: 'root' }, group: { id: 21, name: 'g' } }
  const kept = decide({ archive: foreign, context: { owner, group } })
  expect(kept.plan).toMatchObject({ action: { download: { uid: 11, gid: 21 } }, obstacles: [] })
})

test('effects are those of the steps, in their order', () => {
  const properties = { extract_parent: '/opt/app', creates: MARKER, cleanup: true }
  const { ensure, plan } = decide({ properties, creates: MISSING })
  const effects = ['download', 'extract', 'remove'].map((kind) => ({ kind, object: 'the archive' }))
  expect({ ensure, plan }).toMatchObject({ ensure: { desired: 'present', observed: 'absent' }, plan: { effects } })
})
