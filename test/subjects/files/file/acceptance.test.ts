import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { renderReport } from '../../../../src/index.ts'
import { fileResources, MINE, problemsOf, resultOf, resultsOf, scanWith } from '../../../compatibility/support.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { audit, fix } from './scene.ts'

function file(mode: number): string {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, 'kept')
  chmodSync(path, mode)
  return path
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8).padStart(4, '0')
}

describe('mode', () => {
  test.each([
    [{ at_most: '0640' }, '0000', undefined],
    [{ at_most: '0640' }, '0600', undefined],
    [{ at_most: '0640' }, '0644', '0640'],
    [{ at_most: '0640' }, '0604', '0600'],
    [{ at_most: '0755' }, '4755', '0755'],
    [{ at_most: '4755' }, '6755', '4755'],
    [{ at_least: '0444' }, '0400', '0444'],
    [{ at_least: '0400', at_most: '0644' }, '0266', '0644'],
    [{ one_of: ['0600', '0640'] }, '0640', undefined],
    [{ one_of: ['0600', '0640'] }, '0644', '0600'],
    [{ is: '600' }, '0644', '0600'],
    [{ not: '0777', fix: '0755' }, '0777', '0755'],
    [{ none_of: ['0666', '0777'] }, '0644', undefined],
  ])('%j of %s becomes %s', async (accepted, before, after) => {
    const name = file(Number.parseInt(before, 8))
    const { drift } = await audit({ name, mode: accepted })
    if (after === undefined) expect(drift).toEqual([])
    else expect(drift).toEqual([{ property: 'mode', desired: accepted, observed: before }])
    expect((await fix({ name, mode: accepted })).after.drift).toEqual([])
    expect(modeOf(name)).toBe(after ?? before)
    chmodSync(name, 0o600)
    expect(readFileSync(name, 'utf8')).toBe('kept')
  })

  test('of a directory: execute is added to every bound, and special bits stay where no bound has one', async () => {
    const name = join(temporaryDirectory(), 'directory')
    mkdirSync(name)
    chmodSync(name, 0o2777)
    const mode = { at_most: '0640' }
    expect((await audit({ name, ensure: 'directory', mode })).drift).toEqual([
      {
        property: 'mode',
        desired: mode,
        observed: '0777',
        note: 'here at most 0750, with execute permission where a directory is readable',
      },
    ])
    expect((await fix({ name, ensure: 'directory', mode })).after.drift).toEqual([])
    expect(modeOf(name)).toBe('2750')
    expect((await fix({ name, ensure: 'directory', mode: { at_most: '1750' } })).after.drift).toEqual([])
    expect(modeOf(name)).toBe('0750')
  })

  test('a fix without a nearest value refuses with the reason', async () => {
    const name = file(0o777)
    const { plan } = await audit({ name, mode: { not: '0777' } })
    expect(plan).toMatchObject({
      obstacles: [{ reason: expect.stringContaining('cannot derive a value for mode from its condition') }],
    })
    expect((await fix({ name, mode: { not: '0777' } })).outcome).toMatchObject({ kind: 'failed' })
    expect(modeOf(name)).toBe('0777')
  })

  test('a new file gets the bound', async () => {
    const name = join(temporaryDirectory(), 'new')
    expect((await fix({ name, mode: { at_most: '0640' }, content: '' })).after.drift).toEqual([])
    expect(modeOf(name)).toBe('0640')
  })
})

describe('owner and group', () => {
  test.skipIf(needsRoot)(
    'one of several owners: the first existing one is written, an accepted one stays',
    async () => {
      const name = file(0o4755)
      chownSync(name, 4711, 1)
      chmodSync(name, 0o4755)
      const values = { name, owner: { one_of: ['no-such-user-here', 'root', '2'] }, group: { none_of: ['root'] } }
      const mode = { at_most: '4755' }
      expect((await audit({ ...values, mode })).drift).toEqual([
        { property: 'owner', desired: values.owner, observed: '4711', note: 'user "no-such-user-here" does not exist' },
      ])
      expect((await fix({ ...values, mode })).after.drift).toEqual([])
      expect(statSync(name)).toMatchObject({ uid: 0, gid: 1 })
      // A program of another user does not run as root, although the bound would allow it.
      expect(modeOf(name)).toBe('0755')
      chownSync(name, 2, 1)
      expect((await fix({ ...values, mode })).after.drift).toEqual([])
      expect(statSync(name)).toMatchObject({ uid: 2, gid: 1 })
    },
  )

  test.skipIf(needsRoot).each([
    {
      title: 'a program of the first group keeps the access that others lose',
      gid: 0,
      before: '0644',
      bound: '0640',
      after: 1,
    },
    { title: 'a group other than root stays', gid: 2, before: '0644', bound: '0640', after: 2 },
    { title: 'others that keep their access need no group', gid: 0, before: '0666', bound: '0644', after: 0 },
    { title: 'a group gets no more than others had', gid: 0, before: '0604', bound: '0000', after: 0 },
    { title: 'a group does not get to write what others only read', gid: 0, before: '0664', bound: '0660', after: 0 },
  ])('$title', async ({ gid, before, bound, after }) => {
    const name = file(Number.parseInt(before, 8))
    chownSync(name, 0, gid)
    const wanted = { name, group: { one_of: ['no-such-group-here', '1', '0', '2'] }, mode: { at_most: bound } }
    const { drift } = await audit(wanted)
    expect(drift.map(({ property, note }) => [property, note !== undefined])).toEqual([['mode', gid !== after]])
    expect((await fix(wanted)).after.drift).toEqual([])
    expect(statSync(name).gid).toBe(after)
  })

  test.skipIf(needsRoot)('anything but one: only with fix is there something to write', async () => {
    const name = file(0o644)
    chownSync(name, 4711, 4711)
    const owner = { not: '4711' }
    const { plan } = await audit({ name, owner, group: '4711' })
    expect(plan).toMatchObject({ obstacles: [{ reason: expect.stringContaining('derive a value for owner') }] })
    expect((await fix({ name, owner: { ...owner, fix: '0' }, group: '4711' })).after.drift).toEqual([])
    expect(statSync(name)).toMatchObject({ uid: 0, gid: 4711 })
  })
})

test('an acceptance stands where a value stands: templates, defaults, unquoted numbers, reports', async () => {
  const directory = temporaryDirectory()
  const path = file(0o666)
  writeFileSync(`${path}.second`, '')
  chmodSync(`${path}.second`, 0o640)
  const policy = `data: { bound: "0640" }
ccm:
  resources:
    - file:
        - defaults: { ensure: present, if_absent: drift, mode: { at_most: 0644 } }
        - ${path}: { ${MINE}, mode: { at_most: "{{ Data.bound }}" } }
        - ${path}.second: { mode: { one_of: [0600, 640] } }
`
  const run = await scanWith(directory, policy)
  const [first, second] = resultsOf(run)
  expect(second?.verdict).toBe('compliant')
  const { drift, message } = first ?? {}
  expect(drift).toMatchObject([{ property: 'mode', desired: { at_most: '0640' }, observed: '0666' }])
  expect(message).toBe('mode: want at most 0640, found 0666')
  const json = await renderReport(run, 'json')
  const schema: unknown = JSON.parse(readFileSync('schemas/report.schema.json', 'utf8'))
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object)
  expect(validate(JSON.parse(json)), JSON.stringify(validate.errors)).toBe(true)
  for (const format of [
    'text',
    'junit',
    'html',
    'markdown',
    'tap',
    'sarif',
    'hdf',
    'oscal',
    'github',
    'gitlab',
  ] as const) {
    expect(await renderReport(run, format), format).toContain('at most 0640')
  }
  expect(resultsOf(await scanWith(directory, policy, { fix: true }))[0]?.verdict).toBe('fixed')
  expect(modeOf(path)).toBe('0640')
})

test('an acceptance with a secret in it is shown as a digest', async () => {
  const directory = temporaryDirectory()
  const path = file(0o666)
  const policy = `data:
  # @sensitive
  name: s3cret-user
ccm:
  resources:
    - file:
        - ${path}: { ensure: present, if_absent: drift, owner: { one_of: ["{{ Data.name }}", nobody-here] } }
`
  const run = await scanWith(directory, policy)
  expect(JSON.stringify(run)).not.toContain('s3cret-user')
  expect(resultOf(run).drift).toContainEqual(
    expect.objectContaining({ property: 'owner', desired: expect.objectContaining({ redacted: true }) }),
  )
})

test.each([
  ['mode: { atmost: "0640" }', 'unknown word "atmost" in mode, did you mean "at_most"?'],
  ['mode: { fix: "0640" }', 'mode must set a condition'],
  ['mode: {}', 'mode must set a condition'],
  ['mode: { at_most: }', 'mode.at_most must be text, found nothing'],
  ['mode: { at_most: ["0640"] }', 'mode.at_most must be text, found a list'],
  ['mode: { one_of: "0640" }', 'mode.one_of must be a list, found text "0640"'],
  ['mode: { one_of: [] }', 'mode.one_of cannot be empty'],
  ['mode: { at_most: "64" }', 'mode.at_most "64" lacks the digit of the owner'],
  ['mode: { at_most: "0640", fix: "0644" }', 'has a value under "fix" that it does not accept'],
  ['mode: { at_least: "0700", at_most: "0640" }', 'mode has conditions that are mutually exclusive'],
  ['mode: { matches: "06.." }', 'unknown word "matches" in mode'],
  ['mode: "0644", owner: { is: root, not: root }', 'owner has conditions that are mutually exclusive'],
  ['mode: "0644", owner: { one_of: ["4294967296"] }', 'out of range'],
  ['mode: "0644", owner: { not: "" }', 'owner.not cannot be empty'],
  ['mode: "0644", source: { is: x }', 'source must be text, found a map'],
  [
    'mode: "0644", content: { is: x }',
    'unknown word "is" in content; valid words: matches, not_matches, includes, excludes, fix',
  ],
  ['mode: "0644", content: { matches: "(" }', 'content has a pattern that is not a regular expression (RE2)'],
  ['mode: "0644", content: { includes: ["a\\nb"] }', 'a line of "includes" or "excludes" holds a line break'],
  ['mode: "0644", content: { includes: [a], excludes: [a] }', 'content has conditions that are mutually exclusive'],
  ['mode: "0644", content: { includes: [a] }, source: b', "'content' and 'source' are mutually exclusive"],
  ['mode: "0644", sha256: abc', 'must be 64 hexadecimal digits'],
])('%s is a problem of the policy', async (body, message) => {
  const text = fileResources(`- /nowhere: { ensure: present, if_absent: drift, ${body} }`)
  const problems = await problemsOf(temporaryDirectory(), text)
  expect(problems.join('\n')).toContain(message)
  expect(problems[0]).toMatch(/^4:/)
})
