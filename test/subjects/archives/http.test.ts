import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type ApplyOutcome, type Decision, FIRST_LOOK } from '../../../src/model/decision.ts'
import { runPolicies } from '../../../src/engine/run.ts'
import { archive } from '../../../src/subjects/archives/index.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import type { Examination, ResourceContext } from '../../../src/resource-type/define.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { declare, policyOf } from '../../support/policy.ts'
import { tarBytes } from '../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { serve, type WebServer } from '../../support/web-server.ts'
import { zipDirectory } from '../../support/zip-bytes.ts'

const SECRET = 'hunter2-and-more'

const context: ResourceContext = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }

const remediator = createLocalRemediator(NO_JOURNAL, {
  download: { environment: {}, pause: () => Promise.resolve() },
})

/** What the server offers, by path. */
let offered: Record<string, Buffer>
let server: WebServer
let root: string

beforeEach(async () => {
  root = temporaryDirectory()
  const source = join(root, 'source')
  mkdirSync(join(source, 'app/bin'), { recursive: true })
  writeFileSync(join(source, 'app/bin/run'), '#!/bin/sh\n', { mode: 0o755 })
  execFileSync('tar', ['-C', source, '-czf', join(root, 'app.tar.gz'), 'app'])
  writeFileSync(join(root, 'app.zip'), zipDirectory(source))
  offered = {
    '/app.tar.gz': readFileSync(join(root, 'app.tar.gz')),
    '/app.zip': readFileSync(join(root, 'app.zip')),
    '/evil.tar': tarBytes([{ name: 'good' }, { name: '../evil' }]),
  }
  mkdirSync(join(root, 'cache'))
  server = await serve((request, response) => {
    const content = offered[request.url ?? '']
    if (content === undefined) response.writeHead(404).end()
    else response.end(content)
  })
})

type Values = Readonly<Record<string, unknown>>

/** An archive of the running user in the cache, unless the values say otherwise. */
function properties(file: string, values: Values = {}): Record<string, unknown> {
  return {
    name: join(root, 'cache', file),
    ensure: 'present',
    url: `${server.origin}/${file}`,
    owner: String(process.geteuid?.()),
    group: String(process.getegid?.()),
    ...values,
  }
}

async function examine(values: Values): Promise<Examination> {
  const decoded = decodeProperties(archive, values)
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.violations))
  return archive.prepare(decoded.values, 'http', context).examine(createLocalTarget(), FIRST_LOOK)
}

async function audit(values: Values): Promise<Decision<unknown>> {
  const examination = await examine(values)
  if (examination.kind !== 'decided') throw new Error(examination.detail)
  return examination.decision
}

async function fix(values: Values): Promise<ApplyOutcome> {
  const examination = await examine(values)
  if (examination.kind !== 'decided') throw new Error(examination.detail)
  return examination.apply(remediator)
}

function drifts({ drift }: Decision<unknown>): readonly string[] {
  return drift.map(({ property }) => property)
}

const unpacked = (): Values => ({ extract_parent: join(root, 'opt'), creates: join(root, 'opt/app/bin/run') })
const sum = (path: string): string =>
  createHash('sha256')
    .update(offered[path] ?? '')
    .digest('hex')

describe('an audit', () => {
  test('detects missing files and never asks the network', async () => {
    const decision = await audit(properties('app.tar.gz', unpacked()))
    expect(decision.drift).toEqual([
      { property: 'ensure', desired: 'present', observed: 'absent' },
      { property: 'creates', desired: join(root, 'opt/app/bin/run'), observed: null },
    ])
    expect(decision.plan).toMatchObject({ text: 'Would have downloaded. Would have extracted', obstacles: [] })
    expect(server.asked).toEqual([])
  })

  test('compares checksum, owner and group of the file', async () => {
    const values = properties('app.tar.gz', { checksum: sum('/app.tar.gz') })
    writeFileSync(join(root, 'cache/app.tar.gz'), 'other')
    const other = createHash('sha256').update('other').digest('hex')
    expect((await audit({ ...values, owner: '4711', group: '4712' })).drift).toMatchObject([
      { property: 'owner', desired: '4711' },
      { property: 'group', desired: '4712' },
      { property: 'checksum', desired: sum('/app.tar.gz'), observed: other },
    ])
  })

  test('looks through a link to the archive, and sees one that leads nowhere', async () => {
    const values = properties('app.tar.gz', { checksum: sum('/app.tar.gz') })
    symlinkSync(join(root, 'app.tar.gz'), join(root, 'cache/app.tar.gz'))
    expect((await audit(values)).drift).toEqual([])
    symlinkSync('/nonexistent', join(root, 'cache/gone.tar.gz'))
    expect((await audit(properties('gone.tar.gz'))).drift).toMatchObject([{ property: 'ensure', observed: 'symlink' }])
    expect(drifts(await audit(properties('gone.tar.gz', { ensure: 'absent' })))).toEqual(['ensure'])
  })

  test('reports obstacles of a fix', async () => {
    writeFileSync(join(root, 'opt'), '')
    const values = properties('app.tar.gz', {
      ...unpacked(),
      name: join(root, 'none/app.tar.gz'),
      owner: 'no-such-user',
    })
    expect((await audit(values)).plan).toMatchObject({
      obstacles: [
        { reason: 'user "no-such-user" does not exist' },
        { reason: `${join(root, 'none')} is not a directory: it does not exist`, missing: join(root, 'none') },
        { reason: `${join(root, 'opt')} is not a directory` },
      ],
    })
  })

  test('a parent that is a file is in the way', async () => {
    writeFileSync(join(root, 'file'), '')
    const { plan } = await audit(properties('app.tar.gz', { name: join(root, 'file/app.tar.gz') }))
    expect(plan).toMatchObject({ obstacles: [{ reason: `${join(root, 'file')} is not a directory` }] })
  })

  test('an unreadable path proves nothing', async () => {
    symlinkSync('loop', join(root, 'loop'))
    const looped = join(root, 'loop/app.tar.gz')
    expect(await examine(properties('app.tar.gz', { name: looped }))).toMatchObject({ kind: 'unknown' })
    expect(await examine(properties('app.tar.gz', { name: looped, ensure: 'absent' }))).toMatchObject({
      kind: 'unknown',
    })
    expect(await audit(properties('app.tar.gz', { creates: looped }))).toMatchObject({
      drift: [],
      unknown: [{ property: 'creates', reason: 'not-observable' }],
    })
  })
})

describe('a fix', () => {
  test.each(['app.tar.gz', 'app.zip'])(
    'downloads, unpacks and cleans up %s; the next look is content',
    async (file) => {
      const values = properties(file, { ...unpacked(), cleanup: true, checksum: sum(`/${file}`) })
      expect(await fix(values)).toEqual({ kind: 'done' })
      expect(lstatSync(join(root, 'opt/app/bin/run')).mode & 0o7777).toBe(0o755)
      expect(readdirSync(join(root, 'cache'))).toEqual([])
      expect(await audit(values)).toMatchObject({ drift: [], plan: { kind: 'none' } })
    },
  )

  test.each([
    ['another answer', () => Buffer.from('<h1>log in</h1>')],
    ['a body that was cut short', (whole: Buffer) => whole.subarray(0, 100)],
  ])('fetches an archive again that turned out to be %s', async (_what, wrong) => {
    const values = properties('app.tar.gz', unpacked())
    const whole = offered['/app.tar.gz'] ?? Buffer.alloc(0)
    offered['/app.tar.gz'] = wrong(whole)
    expect(await fix(values)).toMatchObject({ kind: 'failed' })
    expect(await fix(values)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('; downloaded again: ') as string,
    })
    offered['/app.tar.gz'] = whole
    expect(await fix(values)).toEqual({ kind: 'done' })
    expect((await audit(values)).drift).toEqual([])
  })

  test('does not fetch an archive again whose checksum matches', async () => {
    offered['/app.tar.gz'] = Buffer.from('no archive')
    const values = properties('app.tar.gz', { ...unpacked(), checksum: sum('/app.tar.gz') })
    for (const _attempt of [1, 2]) expect(await fix(values)).toMatchObject({ kind: 'failed' })
    expect(server.asked).toHaveLength(1)
  })

  test('of a left-over only removes it', async () => {
    const values = properties('app.tar.gz', unpacked())
    expect(await fix(values)).toEqual({ kind: 'done' })
    const tidy = { ...values, cleanup: true }
    expect((await audit(tidy)).plan).toMatchObject({ text: 'Would have cleaned up' })
    expect(await fix(tidy)).toEqual({ kind: 'done' })
    expect(existsSync(join(root, 'cache/app.tar.gz'))).toBe(false)
    expect(drifts(await audit(tidy))).toEqual([])
    // Without cleanup the archive is not missed either, because what it creates is there.
    expect(drifts(await audit(values))).toEqual([])
    expect(server.asked).toHaveLength(1)
  })

  test('unpacks an archive that is there without asking the network', async () => {
    writeFileSync(join(root, 'cache/app.tar.gz'), offered['/app.tar.gz'] ?? '')
    const values = properties('app.tar.gz', unpacked())
    expect((await audit(values)).plan).toMatchObject({ text: 'Would have extracted' })
    expect(await fix(values)).toEqual({ kind: 'done' })
    expect(drifts(await audit(values))).toEqual([])
    expect(server.asked).toEqual([])
  })

  test('replaces another version and unpacks it over the old one', async () => {
    const values = properties('app.tar.gz', { ...unpacked(), checksum: sum('/app.tar.gz') })
    mkdirSync(join(root, 'opt/app/bin'), { recursive: true })
    writeFileSync(join(root, 'opt/app/bin/run'), 'old')
    writeFileSync(join(root, 'cache/app.tar.gz'), 'old')
    expect(await fix(values)).toEqual({ kind: 'done' })
    expect(readFileSync(join(root, 'opt/app/bin/run'), 'utf8')).toBe('#!/bin/sh\n')
    expect(drifts(await audit(values))).toEqual([])
  })

  test('removes an archive that must be gone, and a link without its target', async () => {
    symlinkSync(join(root, 'app.zip'), join(root, 'cache/app.zip'))
    expect(await fix(properties('app.zip', { ensure: 'absent' }))).toEqual({ kind: 'done' })
    expect([existsSync(join(root, 'cache/app.zip')), existsSync(join(root, 'app.zip'))]).toEqual([false, true])
  })

  test('whose download fails changes nothing', async () => {
    const values = properties('none.tar.gz', unpacked())
    expect(await fix(values)).toMatchObject({ kind: 'failed', message: expect.stringContaining('status 404') })
    expect([readdirSync(join(root, 'cache')), existsSync(join(root, 'opt'))]).toEqual([[], false])
  })

  test('whose extraction fails leaves visible drift, with a marker and without', async () => {
    const marked = properties('evil.tar', { extract_parent: join(root, 'opt'), creates: join(root, 'opt/good') })
    const unmarked = properties('evil.tar', { extract_parent: join(root, 'opt') })
    for (const [values, left] of [
      [unmarked, ['ensure']],
      [marked, ['creates']],
    ] as const) {
      expect(await fix(values)).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining('has ".." in its name'),
      })
      expect([existsSync(join(root, 'opt')), existsSync(join(root, 'evil'))]).toEqual([false, false])
      expect(drifts(await audit(values))).toEqual(left)
    }
  })

  test('with an unknown owner is not tried', async () => {
    expect(await fix(properties('app.zip', { owner: 'no-such-user' }))).toEqual({
      kind: 'failed',
      message: 'user "no-such-user" does not exist',
    })
    expect(server.asked).toEqual([])
  })
})

test('a whole run: audit, fix and audit again, without a word of the secrets', async () => {
  const values = properties('app.tar.gz', {
    ...unpacked(),
    cleanup: true,
    url: `${server.origin.replace('//', `//deploy:${SECRET}@`)}/app.tar.gz`,
    password: SECRET,
    username: 'deploy',
    headers: { 'X-Token': SECRET },
  })
  const failing = properties('none.tar.gz', { password: SECRET, url: values['url']?.toString().replace('app', 'none') })
  const policy = policyOf([
    declare(`archive#${join(root, 'cache/app.tar.gz')}`, { properties: values }),
    declare(`archive#${join(root, 'cache/none.tar.gz')}`, { properties: failing }),
  ])
  const run = (fixes: boolean): ReturnType<typeof runPolicies> =>
    runPolicies([policy], { target: createLocalTarget(), types: [archive], ...(fixes ? { remediator } : {}) })
  const runs = [await run(false), await run(true), await run(false)]
  const results = runs.map(({ policies }) =>
    policies.flatMap(({ resources }) => resources.map(({ verdict, actions }) => [verdict, ...actions])),
  )
  const planned = 'Would have downloaded. Would have extracted. Would have cleaned up'
  expect(results).toEqual([
    [
      ['drifted', planned],
      ['drifted', 'Would have downloaded'],
    ],
    [['fixed', 'Downloaded. Extracted. Cleaned up'], ['fix-failed']],
    [['compliant'], ['drifted', 'Would have downloaded']],
  ])
  expect(JSON.stringify(runs)).not.toContain(SECRET)
  expect(server.asked[0]?.headers).toMatchObject({ 'x-token': SECRET })
})
