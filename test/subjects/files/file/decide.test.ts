import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../../src/model/decision.ts'
import type { ContentDigest } from '../../../../src/model/drift.ts'
import { known, unknown } from '../../../../src/model/observation.ts'
import { formatMode } from '../../../../src/model/mode.ts'
import { type DesiredAttributes, type DesiredMode } from '../../../../src/subjects/files/file/attributes.ts'
import { decideFile } from '../../../../src/subjects/files/file/decide.ts'
import type { FileAction, FileContext, FileState, FileDesired } from '../../../../src/subjects/files/file/model.ts'
import { testDecisionCases } from '../../decision-cases.ts'

const path = '/srv/thing'
const root = { id: 0, name: 'root' }
const wantedRoot = { written: 'root', ids: known({ is: 0 }), missing: [] }
const attributes: DesiredAttributes = { owner: wantedRoot, group: wantedRoot, mode: exactly(0o644) }
const wantedDigest = { sha256: 'aa', sizeBytes: 2 }
const otherDigest = { sha256: 'bb', sizeBytes: 3 }

const file: FileState = {
  kind: 'file',
  throughLink: false,
  mode: 0o644,
  sizeBytes: 2,
  linkCount: 1,
  access: undefined,
  flags: undefined,
  owner: root,
  group: root,
}
const same: FileState = { ...file, content: known(wantedDigest) }
const directory: FileState = { ...file, kind: 'directory', mode: 0o755 }

const unwanted: FileContext = { ensure: 'absent' }
const wantedDirectory: FileContext = {
  ensure: 'directory',
  attributes: { ...attributes, mode: exactly(0o755) },
  obstacles: [],
}
const managed = { ensure: 'present', attributes, content: known(wantedDigest), obstacles: [] } as const
const attributesOnly = { ...managed, content: undefined } as const

function exactly(bits: number, note?: string): DesiredMode {
  return { shown: formatMode(bits), accepted: { is: bits }, namesSpecialBits: false, note }
}

function decide(
  context: FileContext,
  state: FileState | undefined,
  values: Partial<FileDesired> = {},
): Decision<FileAction> {
  const desired: FileDesired = { name: path, ensure: context.ensure, force: false, if_absent: 'create', ...values }
  return decideFile(desired, state === undefined ? { kind: 'absent', context } : { kind: 'present', state, context })
}

function drifting(property: string, desired: unknown, observed: unknown): object {
  return { property, desired, observed }
}

const nothing = { drift: [], unknown: [], plan: { kind: 'none' } }

testDecisionCases('files/file', {
  wanted: ['ensure', 'content', 'force', 'if_absent'],
  observed: ['kind', 'throughLink', 'mode', 'content', 'isEmpty', 'mounts'],
  decide: ({ ensure, content, ...values }, { kind = 'file', mode, ...state }) => {
    const present = content === undefined ? attributesOnly : { ...managed, content: known(content as ContentDigest) }
    const context = ensure === 'absent' ? unwanted : ensure === 'directory' ? wantedDirectory : present
    if (kind === 'nothing') return decide(context, undefined, values)
    const seen = { ...(kind === 'directory' ? directory : file), kind: kind as FileState['kind'], ...state }
    return decide(context, mode === undefined ? seen : { ...seen, mode: Number.parseInt(mode as string, 8) }, values)
  },
})

describe('an unwanted directory', () => {
  const act = (action: object, text: string): object => ({ kind: 'act', action, text, obstacles: [] })
  const ensure = (context: FileContext, observed: string): object => drifting('ensure', context.ensure, observed)

  test('absent, non-empty directory with force', () => {
    expect(decide(unwanted, directory, { force: true })).toMatchObject({
      drift: [ensure(unwanted, 'directory')],
      plan: act({ kind: 'remove', recursive: true }, 'Would have recursively removed the directory'),
    })
  })

  test('absent, directory that cannot be listed: the removal will tell', () => {
    const state = { ...directory, isEmpty: unknown('permission-denied', 'denied') }
    expect(decide(unwanted, state).plan).toMatchObject({ kind: 'act', text: 'Would have removed the directory' })
  })

  test.each<[string, FileState['mounts'], string]>([
    ['is a mount', known(['']), 'cannot remove /srv/thing: a file system is mounted at /srv/thing; unmount it first'],
    [
      'has one below',
      known(['a']),
      'cannot remove /srv/thing: a file system is mounted at /srv/thing/a; unmount it first',
    ],
    ['cannot tell', unknown('permission-denied', 'no'), 'the mounts below /srv/thing are unknown: no'],
  ])('absent, with force, a directory that %s: nothing is removed', (_case, mounts, reason) => {
    const state = { ...directory, ...(mounts === undefined ? {} : { mounts }) }
    expect(decide(unwanted, state, { force: true }).plan).toEqual({ kind: 'refuse', obstacles: [{ reason }] })
  })
})

test.each([
  ['immutable', 'i'],
  ['append-only', 'a'],
] as const)('absent, with force, a directory that holds what is %s: nothing is removed', (flag, letter) => {
  const state: FileState = { ...directory, flagged: { path: '/srv/thing/a', flag } }
  const reason = `cannot remove /srv/thing: /srv/thing/a is ${flag}; "chattr -${letter}" clears the flag`
  expect(decide(unwanted, state, { force: true }).plan).toEqual({ kind: 'refuse', obstacles: [{ reason }] })
})

test('absent, a file that something is mounted at stays', () => {
  const reason = 'cannot remove /srv/thing: a file system is mounted at /srv/thing; unmount it first'
  expect(decide(unwanted, { ...file, mounts: known(['']) }).plan).toEqual({ kind: 'refuse', obstacles: [{ reason }] })
})

describe('a missing path', () => {
  const dangling: FileState = { ...file, kind: 'symlink' }
  const ownerAlone = { owner: wantedRoot, group: undefined, mode: undefined }

  test.each<[string, FileContext, Partial<FileDesired>, string]>([
    ['a file', attributesOnly, {}, "no content to create it from ('if_absent: drift')"],
    ['a file with content', managed, { content: 'x' }, "a fix does not create it ('if_absent: drift')"],
    ['a file with a source', managed, { source: 'x' }, "a fix does not create it ('if_absent: drift')"],
    ['a directory', wantedDirectory, {}, "a fix does not create it ('if_absent: drift')"],
  ])('%s is drift that a fix refuses, or compliant, as the policy says', (_name, context, values, reason) => {
    expect(decide(context, undefined, { ...values, if_absent: 'drift' })).toMatchObject({
      drift: [drifting('ensure', context.ensure, 'absent')],
      plan: { kind: 'refuse', obstacles: [{ reason }] },
    })
    expect(decide(context, undefined, { ...values, if_absent: 'compliant' })).toMatchObject({
      ...nothing,
      ensure: { desired: context.ensure, observed: 'absent' },
      messages: ["the path does not exist, which 'if_absent: compliant' accepts"],
    })
  })

  test.each(['drift', 'compliant'] as const)('a link that leads nowhere is there, and stays with %s', (ifAbsent) => {
    for (const context of [attributesOnly, managed, wantedDirectory]) {
      expect(decide(context, dangling, { if_absent: ifAbsent })).toMatchObject({
        drift: [drifting('ensure', context.ensure, 'symlink')],
        plan: { kind: 'refuse' },
      })
    }
  })

  test('a link to a file stays where a directory would have to be created', () => {
    const state = { ...file, throughLink: true }
    expect(decide(wantedDirectory, state, { if_absent: 'drift' }).plan).toMatchObject({ kind: 'refuse' })
  })

  test('a property without a desired value is not compared, and a fix keeps it', () => {
    const context = { ...attributesOnly, attributes: ownerAlone }
    const other: FileState = { ...file, owner: { id: 7, name: 'lp' }, group: { id: 9, name: 'man' }, mode: 0o640 }
    expect(decide(context, { ...other, owner: root }, { if_absent: 'drift' })).toMatchObject(nothing)
    expect(decide(context, other, { if_absent: 'drift' })).toMatchObject({
      drift: [drifting('owner', 'root', 'lp')],
      plan: { kind: 'act', action: { kind: 'set-attributes', attributes: { uid: 0, gid: 9, mode: 0o640 } } },
    })
  })

  test('a program of another user does not run as its new owner', () => {
    const context = { ...attributesOnly, attributes: ownerAlone }
    const planted: FileState = { ...file, owner: { id: 7, name: 'lp' }, mode: 0o6755 }
    expect(decide(context, planted, { if_absent: 'drift' }).plan).toMatchObject({
      action: { attributes: { uid: 0, mode: 0o755 } },
    })
  })
})

describe('things that are no file and no directory', () => {
  test.each([
    ['fifo', 'fifo'],
    ['socket', 'socket'],
    ['block-device', 'block device'],
    ['character-device', 'character device'],
  ] as const)('%s', (kind, word) => {
    const state = { ...file, kind }
    expect(decide(managed, state)).toMatchObject({
      ensure: { desired: 'present', observed: word },
      drift: [drifting('ensure', 'present', word)],
      plan: { kind: 'refuse', obstacles: [{ reason: `/srv/thing exists as a ${word}; cannot manage it as a file` }] },
    })
    expect(decide(wantedDirectory, state).plan).toMatchObject({
      kind: 'act',
      text: 'Would have created directory',
      obstacles: [{ reason: `/srv/thing exists as a ${word}; cannot manage it as a directory` }],
    })
    expect(decide(unwanted, state).plan).toMatchObject({ kind: 'act', text: 'Would have removed the file' })
  })
})

describe('symbolic links', () => {
  const dangling: FileState = { ...file, kind: 'symlink', mode: 0o777 }

  test('a dangling link where a file is wanted is drift and can be replaced', () => {
    expect(decide(managed, dangling)).toMatchObject({
      drift: [{ ...drifting('ensure', 'present', 'symlink'), note: 'dangling link' }],
      plan: { kind: 'act', text: 'Would have created the file', obstacles: [] },
    })
  })

  test('a dangling link where a directory is wanted can be replaced', () => {
    expect(decide(wantedDirectory, dangling).plan).toMatchObject({ kind: 'act', obstacles: [] })
  })

  test('a link to a file where a directory is wanted can be replaced', () => {
    expect(decide(wantedDirectory, { ...file, throughLink: true }).plan).toMatchObject({ kind: 'act', obstacles: [] })
  })

  test('a link to a matching file is stable', () => {
    expect(decide(managed, { ...same, throughLink: true })).toMatchObject(nothing)
    expect(decide(attributesOnly, { ...file, throughLink: true })).toMatchObject(nothing)
  })

  test('a link to a directory with matching attributes is stable', () => {
    expect(decide(wantedDirectory, { ...directory, throughLink: true })).toMatchObject(nothing)
  })

  test('attributes are never set through a link', () => {
    expect(decide(attributesOnly, { ...file, mode: 0o600, throughLink: true }).plan).toMatchObject({
      kind: 'act',
      text: 'Would have updated attributes',
      obstacles: [{ reason: '/srv/thing is a symlink; refusing to set attributes through it' }],
    })
  })
})

describe('properties', () => {
  test('every difference is reported, in the order of the state checks', () => {
    const state: FileState = {
      ...file,
      content: known(otherDigest),
      owner: { id: 1, name: 'daemon' },
      group: { id: 4711, name: undefined },
      mode: 0o600,
    }
    expect(decide(managed, state).drift).toEqual([
      drifting('content', wantedDigest, otherDigest),
      drifting('owner', 'root', 'daemon'),
      drifting('group', 'root', '4711'),
      drifting('mode', '0644', '0600'),
    ])
  })

  test.each([
    ['name against id', 'root', 0, 0],
    ['number against named id', '0', 0, 0],
    ['number against nameless id', '4711', 4711, 4711],
    ['other id', '1', 1, 0],
  ])('accounts compare by id: %s', (_name, text, wantedId, id) => {
    const context = {
      ...attributesOnly,
      attributes: { ...attributes, owner: { written: text, ids: known({ is: wantedId }), missing: [] } },
    }
    expect(decide(context, { ...file, owner: { id, name: undefined } }).drift).toHaveLength(wantedId === id ? 0 : 1)
  })

  test('special bits of a file are drift', () => {
    expect(decide(attributesOnly, { ...file, mode: 0o4644 }).drift).toEqual([drifting('mode', '0644', '4644')])
  })

  test('special bits of a directory are not compared and not shown', () => {
    expect(decide(wantedDirectory, { ...directory, mode: 0o3755 })).toMatchObject(nothing)
    expect(decide(wantedDirectory, { ...directory, mode: 0o2750 }).drift).toEqual([drifting('mode', '0755', '0750')])
  })

  test('added execute bits are explained', () => {
    const context = { ...wantedDirectory, attributes: { ...attributes, mode: exactly(0o755, 'why') } }
    expect(decide(context, { ...directory, mode: 0o700 }).drift).toEqual([
      { ...drifting('mode', '0755', '0700'), note: 'why' },
    ])
  })

  test.each([
    [
      'texts',
      { kind: 'texts', observed: 'a\n', desired: 'b\n', isPrivate: false } as const,
      { diff: '--- observed\n+++ desired\n@@ -1 +1 @@\n-a\n+b\n' },
    ],
    [
      'texts that others may not read',
      { kind: 'texts', observed: 'a\n', desired: 'b\n', isPrivate: true } as const,
      { diff: '--- observed\n+++ desired\n@@ -1 +1 @@\n-a\n+b\n', confidential: true },
    ],
    ['content of another author', { kind: 'withheld', note: 'by whom' } as const, { note: 'by whom', conceal: true }],
    ['no text', { kind: 'not-shown', note: 'too large' } as const, { note: 'too large' }],
  ])('content drift with %s', (_name, comparison, extra) => {
    const state = { ...file, content: known(otherDigest), comparison }
    expect(decide(managed, state).drift).toEqual([{ ...drifting('content', wantedDigest, otherDigest), ...extra }])
  })
})

describe('unreadable properties', () => {
  const denied = unknown('permission-denied', '/srv/thing: permission denied')
  const entry = { property: 'content', reason: 'permission-denied', detail: '/srv/thing: permission denied' }

  test('unreadable content does not hide the other properties', () => {
    expect(decide(managed, { ...file, content: denied, mode: 0o600 })).toMatchObject({
      unknown: [entry],
      drift: [drifting('mode', '0644', '0600')],
      plan: { kind: 'act', text: 'Would have created the file' },
    })
  })

  test('unreadable content alone is no drift', () => {
    expect(decide(managed, { ...file, content: denied })).toMatchObject({
      unknown: [entry],
      drift: [],
      plan: { kind: 'none' },
    })
  })

  test('an unreadable source leaves the content unknown, and stands in the way of creating the file', () => {
    expect(decide({ ...managed, content: denied }, file)).toMatchObject({ unknown: [entry], drift: [] })
    expect(decide({ ...managed, content: denied }, undefined).plan).toMatchObject({
      obstacles: [{ reason: denied.detail }],
    })
  })

  test.each([
    ['desired content was only checked', { ...managed, content: { kind: 'available' } } as const, same],
    ['content was not read', managed, file],
  ])('%s: never compliant', (_name, context, state) => {
    expect(decide(context, state).unknown).toMatchObject([{ property: 'content', reason: 'internal' }])
  })

  test('accounts that cannot be looked up', () => {
    const lost = { written: 'eve', ids: unknown('timeout', 'getent passwd eve: no answer'), missing: [] }
    const context = { ...attributesOnly, attributes: { ...attributes, owner: lost, group: lost } }
    expect(decide(context, { ...file, mode: 0o600 })).toMatchObject({
      unknown: [
        { property: 'owner', reason: 'timeout' },
        { property: 'group', reason: 'timeout' },
      ],
      drift: [{ property: 'mode' }],
      plan: {
        kind: 'act',
        action: { kind: 'impossible' },
        obstacles: [{ reason: lost.ids.detail }, { reason: lost.ids.detail }],
      },
    })
  })
})

describe('obstacles', () => {
  test.each([
    ['a name', { ...file, linkCount: 2 }, 1],
    ['a link to it, which is replaced itself', { ...file, linkCount: 2, throughLink: true }, 0],
  ])('a file with two names that other content replaces, at %s', (_case, state, count) => {
    const { plan } = decide(managed, { ...state, content: known(otherDigest) })
    const reason =
      "it has 2 hard links, and the others would keep the old content; --keep-links, or 'in_place: true' in the policy, writes through all of them"
    expect(plan).toMatchObject({ kind: 'act', obstacles: Array.from({ length: count }, () => ({ reason })) })
  })

  test.each([
    ['a file that something is mounted at', {}, 1],
    ['a link to it, which is replaced itself', { throughLink: true }, 0],
  ])('%s, that other content replaces', (_case, changes, count) => {
    const { plan } = decide(managed, { ...file, ...changes, content: known(otherDigest), mounts: known(['']) })
    const reason =
      "it is a mount point, which cannot be replaced; write it in place with --in-place, or 'in_place: true' in the policy"
    expect(plan).toMatchObject({ kind: 'act', obstacles: Array.from({ length: count }, () => ({ reason })) })
  })

  test.each([
    ['with several names', { linkCount: 2 }, { mountPoints: false, linked: true }, {}],
    ['at which something is mounted', { mounts: known(['']) }, { mountPoints: true, linked: false }, {}],
    [
      'of several names with in_place in the policy',
      { linkCount: 2, mounts: known(['']) },
      undefined,
      { in_place: true },
    ],
    ['of one name with in_place in the policy', {}, undefined, { in_place: true }],
  ])('a file %s is written in place where that is allowed', (_case, changes, inPlace, said) => {
    const context = { ...managed, ...(inPlace === undefined ? {} : { inPlace }) }
    expect(decide(context, { ...file, ...changes, content: known(otherDigest) }, said).plan).toMatchObject({
      action: { kind: 'store', inPlace: true },
      effects: [{ kind: 'write', object: 'the file in place' }],
      obstacles: [],
    })
  })

  test('one consent does not stand for the other', () => {
    const both = { ...file, linkCount: 2, mounts: known(['']), content: known(otherDigest) }
    for (const inPlace of [
      { mountPoints: true, linked: false },
      { mountPoints: false, linked: true },
    ]) {
      const { plan } = decide({ ...managed, inPlace }, both)
      expect(plan).toMatchObject({ kind: 'act', obstacles: [{ reason: expect.any(String) }] })
      expect(plan).not.toHaveProperty('action.inPlace')
    }
  })

  test.each(['owner', 'group'] as const)('%s that does not exist is drift that cannot be fixed', (property) => {
    const ghost = { written: 'ghost', ids: known({ is: -1 }), missing: ['ghost'] }
    const context = { ...attributesOnly, attributes: { ...attributes, [property]: ghost } }
    const reason = `${property === 'owner' ? 'user' : 'group'} "ghost" does not exist`
    expect(decide(context, file)).toMatchObject({
      drift: [{ property, desired: 'ghost', observed: 'root', note: reason }],
      plan: { kind: 'act', action: { kind: 'impossible', message: reason }, obstacles: [{ reason }] },
    })
  })

  const missing = { reason: 'source /s does not exist', missing: '/s', fatal: 'invalid' } as const
  const sourceless: FileContext = { ...managed, content: { kind: 'unusable', obstacle: missing } }

  test('a missing source leaves nothing to compare with', () => {
    expect(decide(sourceless, file)).toMatchObject({
      drift: [{ property: 'content', desired: null, observed: null, note: missing.reason }],
      plan: { kind: 'act', obstacles: [missing] },
    })
  })

  test('a missing source and a missing parent both stand in the way of creating the file', () => {
    const parent = { reason: 'no parent', missing: '/srv' }
    expect(decide({ ...sourceless, obstacles: [parent] }, undefined).plan).toMatchObject({
      obstacles: [parent, missing],
    })
  })

  test('a parent that is no directory', () => {
    const obstacles = [{ reason: '/srv is not a directory' }]
    expect(decide({ ...wantedDirectory, obstacles }, undefined).plan).toMatchObject({ kind: 'act', obstacles })
  })
})

test('a missing file is observed as absent, and has no obstacles', () => {
  const { ensure, plan } = decide(managed, undefined)
  expect(ensure).toEqual({ desired: 'present', observed: 'absent' })
  expect(plan).toMatchObject({ kind: 'act', obstacles: [] })
})

describe('access beyond the mode', () => {
  const names = { users: new Map([[7, 'lp']]), groups: new Map([[9, 'man']]) }
  const step = { path: '/srv', kind: 'directory', uid: 7, gid: 0, mode: 0o755, acl: known(undefined) } as const
  const listed = { owner: 6, group: 4, other: 0, mask: 4, named: [{ kind: 'user', id: 7, bits: 6 }] } as const
  const confidential = { ...attributes, mode: exactly(0o640) }
  const context = { ...attributesOnly, attributes: confidential }
  const granted = { acl: listed, defaultAcl: undefined, capabilities: undefined }
  const beyond = known(granted)
  const seen = (access: FileState['access']): FileState => ({ ...file, mode: 0o640, access })
  const left = { reason: expect.stringContaining('/srv is owned by lp, which a fix') }

  test('a directory on the way alone is refused, and beside other drift it is left', () => {
    const state = seen({ beyond: undefined, way: known([step]), names })
    expect(decide(context, state).plan).toEqual({ kind: 'refuse', obstacles: [left] })
    const open = decide(context, { ...state, mode: 0o644 })
    expect(open.drift.map(({ property }) => property)).toEqual(['mode', 'access'])
    expect(open.plan).toMatchObject({ kind: 'act', action: { attributes: { mode: 0o640 } }, leaves: [left] })
    const both = decide(context, seen({ beyond, way: known([step]), names }))
    expect(both.drift).toMatchObject([{ observed: 'user lp may read (ACL); /srv is owned by lp' }])
    expect(both.plan).toMatchObject({ kind: 'act', leaves: [left] })
  })

  test('a fix gives the list without the excess, with the bits of the mode', () => {
    const plan = (state: FileState): unknown => decide(context, state).plan
    const alone = { beyond, way: known([]), names }
    const bare = { owner: 6, group: 4, other: 0, mask: undefined, named: [] }
    expect(plan(seen(alone))).toMatchObject({ action: { access: { acl: bare }, attributes: { mode: 0o640 } } })
    const kept = { kind: 'group', id: 0, bits: 7 } as const
    const two = known({ ...granted, acl: { ...listed, named: [...listed.named, kept] } })
    expect(plan(seen({ ...alone, beyond: two }))).toMatchObject({
      action: { access: { acl: { ...listed, named: [kept] } } },
    })
    const attributesOfDirectory = { ...wantedDirectory, attributes: { ...attributes, mode: exactly(0o750) } }
    const inherited = known({ ...granted, acl: undefined, defaultAcl: listed })
    const state: FileState = { ...directory, mode: 0o751, access: { ...alone, beyond: inherited } }
    expect(decide(attributesOfDirectory, state)).toMatchObject({
      drift: [{ property: 'mode' }, { property: 'access' }],
      plan: { action: { kind: 'create-directory', access: { defaultAcl: bare } } },
    })
  })

  test('unreadable access is a warning, and unknown with property access', () => {
    const unread = unknown('not-observable', 'no program')
    const ways = { ...step, mode: 0o775, uid: 0, acl: unread }
    for (const [access, count] of [
      [{ beyond: unread, way: known([]), names }, 1],
      [{ beyond: undefined, way: unread, names }, 1],
      [{ beyond: unread, way: known([ways]), names }, 2],
    ] as const) {
      const warnings = Array.from({ length: count }, () => 'access beyond the mode is unknown: no program')
      expect(decide(context, seen(access))).toMatchObject({ drift: [], unknown: [], warnings })
      const { kind: _, ...reason } = unread
      const problems = Array.from({ length: count }, () => ({ property: 'access', ...reason }))
      expect(decide(context, seen(access), { access: 'mode' })).toMatchObject({ drift: [], unknown: problems })
      expect(decide(context, seen(access), { access: 'mode' }).warnings).toBeUndefined()
    }
  })

  test('a fix that may not give the attributes changes no access either', () => {
    const nobody = { written: 'ghost', ids: known({ is: -1 }), missing: ['ghost'] }
    const state = seen({ beyond, way: known([]), names })
    expect(decide({ ...context, attributes: { ...confidential, owner: nobody } }, state).plan).toMatchObject({
      action: { kind: 'impossible' },
    })
  })
})
