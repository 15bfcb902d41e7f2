import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { scan, type ScanOptions } from '../../src/engine/local.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { hasEnded } from '../support/alive.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A plugin of the checks: says something and exits with a code, or does what a shell script says. */
function sh(script: string): string {
  return `/bin/sh -c "${script.replaceAll('"', String.raw`\"`)}"`
}

interface Check {
  readonly command: string
  readonly [key: string]: unknown
}

interface Scene {
  readonly run: Run
  readonly result: ResourceResult
  readonly directory: string
}

/** Scans a policy of one file, which is there with the content `right` unless told otherwise, and its health checks. */
async function scanWith(
  checks: readonly Check[],
  { content = 'right', resource = {}, ...options }: Setting = {},
): Promise<Scene> {
  const directory = temporaryDirectory()
  const file = join(directory, 'managed')
  writeFileSync(file, content)
  const owner = String(process.geteuid?.())
  const group = String(process.getegid?.())
  const body = {
    name: file,
    ensure: 'present',
    content: 'right',
    owner,
    group,
    mode: '0644',
    health_checks: checks,
    ...resource,
  }
  const policy = join(directory, 'p.yaml')
  writeFileSync(policy, JSON.stringify({ data: { word: 'fine' }, ccm: { resources: [{ file: body }] } }))
  const loaded = await loadPolicy(policy, { environ: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const run = await scan(loaded.value, options)
  const [result] = run.policies.flatMap(({ resources }) => resources)
  if (result === undefined) throw new Error('there is no result')
  return { run, result, directory }
}

interface Setting extends ScanOptions {
  readonly content?: string
  readonly resource?: Readonly<Record<string, unknown>>
}

const OK = { command: sh('echo fine'), name: 'ok' }
const WARNING = { command: sh('echo so so; exit 1'), name: 'warn' }
const CRITICAL = { command: sh('echo down; exit 2'), name: 'crit' }
const UNKNOWN = { command: sh('echo no idea >&2; exit 3'), name: 'unk' }
const HEALTH = { property: 'health', desired: 'OK', observed: 'CRITICAL', note: 'crit: down' }

test.each([
  { checks: [OK], verdict: 'compliant', exit: 0 },
  { checks: [OK, WARNING], verdict: 'compliant', exit: 0 },
  { checks: [OK, CRITICAL], verdict: 'drifted', exit: 2 },
  { checks: [UNKNOWN], verdict: 'error', exit: 3 },
  { checks: [UNKNOWN, CRITICAL], verdict: 'drifted', exit: 2 },
])('$#: an audit calls what is right $verdict', async ({ checks, verdict, exit }) => {
  const { run, result } = await scanWith(checks)
  expect(result.verdict).toBe(verdict)
  expect(run.exit.code).toBe(exit)
  expect(result.health?.map(({ name }) => name)).toEqual(checks.map(({ name }) => name))
})

test('CRITICAL is drift that no fix repairs', async () => {
  const { result } = await scanWith([CRITICAL])
  expect(result).toMatchObject({ change: 'cannot', drift: [HEALTH], actions: [] })
  expect(result.message).toBe('health: want OK, found CRITICAL')
})

test('WARNING is said, and counts where that is asked for', async () => {
  const { result } = await scanWith([WARNING])
  expect(result.warnings).toEqual(['health check warn is WARNING: so so'])
  const strict = await scanWith([WARNING], { strictHealth: true })
  expect(strict.result).toMatchObject({
    verdict: 'drifted',
    drift: [{ ...HEALTH, observed: 'WARNING', note: 'warn: so so' }],
  })
  expect(strict.result.warnings).toBeUndefined()
})

test('drift and a critical check are both reported, and the plan stays', async () => {
  const { result } = await scanWith([CRITICAL], { content: 'wrong' })
  expect(result).toMatchObject({ verdict: 'drifted', change: 'will', actions: ['Would have created the file'] })
  expect(result.drift.map(({ property }) => property)).toEqual(['content', 'health'])
})

test('a check that could not tell leaves drift what it is', async () => {
  const { result } = await scanWith([UNKNOWN], { content: 'wrong' })
  const detail = 'health check unk is UNKNOWN: no idea'
  expect(result).toMatchObject({ verdict: 'drifted', unknown: [{ property: 'health', reason: 'command', detail }] })
})

test.each([
  { content: 'right', verdict: 'fix-failed' },
  { content: 'wrong', verdict: 'fix-failed' },
])('after a fix of content that was $content a critical check is a failed fix', async ({ content, verdict }) => {
  const { run, result, directory } = await scanWith([CRITICAL], { content, fix: true })
  expect(result).toMatchObject({ verdict, remaining: [HEALTH] })
  expect(run.exit.code).toBe(4)
  expect(readFileSync(join(directory, 'managed'), 'utf8')).toBe('right')
})

test('a fix is only proved where its checks can tell', async () => {
  const { result } = await scanWith([UNKNOWN], { content: 'wrong', fix: true })
  expect(result).toMatchObject({ verdict: 'fix-failed', message: expect.stringContaining('could not be verified') })
})

test('checks see what the fix has made', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'other')
  const command = `/usr/bin/grep -q right ${file}`
  const { result } = await scanWith([{ command }], { fix: true, resource: { name: file } })
  expect(result).toMatchObject({ verdict: 'fixed', health: [{ status: 'OK' }] })
})

test('a check is tried until it is OK, and every try is in the report', async () => {
  const directory = temporaryDirectory()
  const counter = join(directory, 'count')
  const command = sh(`echo x >> ${counter}; test $(wc -l < ${counter}) -ge 3 || exit 2`)
  const { result } = await scanWith([{ command, tries: 5, try_sleep: '1ms' }])
  expect(result.verdict).toBe('compliant')
  expect(result.health?.[0]).toMatchObject({
    status: 'OK',
    attempts: [{ exitCode: 2 }, { exitCode: 2 }, { exitCode: 0 }],
  })
})

test('tries are limited', async () => {
  const { result } = await scanWith([{ ...CRITICAL, tries: 2, try_sleep: '1ms' }])
  expect(result.health?.[0]?.attempts).toHaveLength(2)
  const warning = await scanWith([{ ...WARNING, tries: 2, try_sleep: '1ms' }])
  expect(warning.result.warnings).toEqual(['health check warn is WARNING after 2 tries: so so'])
})

test('of what a check says 2000 characters are kept, with a sign where more was said', async () => {
  const saying = async (count: number): Promise<string | undefined> => {
    const command = `/usr/bin/printf %0${count}d 0`
    return (await scanWith([{ command }])).result.health?.[0]?.attempts[0]?.output
  }
  expect(await saying(2000)).toBe('0'.repeat(2000))
  expect(await saying(2001)).toBe(`${'0'.repeat(2000)}…`)
})

test('a check that cannot start is an error and is not tried again', async () => {
  const { result } = await scanWith([{ command: '/nowhere/check -w 1', tries: 3, try_sleep: '1ms' }])
  expect(result).toMatchObject({
    verdict: 'error',
    reason: 'command',
    health: [{ name: 'check -w 1', status: 'UNKNOWN' }],
  })
  expect(result.health?.[0]?.attempts).toHaveLength(1)
  expect(result.message).toContain('/nowhere/check')
})

test('a check that does not end is ended with all it has started', async () => {
  const directory = temporaryDirectory()
  const pid = join(directory, 'pid')
  const command = sh(`sleep 600 & echo $! > ${pid}; wait`)
  const { result } = await scanWith([{ command, timeout: '1500ms' }])
  expect(result).toMatchObject({
    verdict: 'error',
    reason: 'timeout',
    message: expect.stringContaining('timed out after 1.5 seconds'),
    health: [{ status: 'UNKNOWN', attempts: [{ trouble: 'timeout' }] }],
  })
  expect(await hasEnded(readFileSync(pid, 'utf8').trim())).toBe(true)
})

test('commands and names may hold templates', async () => {
  const { result } = await scanWith([{ command: sh('echo {{ Data.word }}'), name: 'is {{ Data.word }}' }])
  expect(result.health).toMatchObject([{ name: 'is fine', attempts: [{ output: 'fine' }] }])
})

test('a check whose template fails is an error of the resource', async () => {
  const { result } = await scanWith([{ command: "check {{ lookup('data.none') }}" }])
  expect(result).toMatchObject({
    verdict: 'error',
    reason: 'template',
    message: expect.stringContaining('health_checks: '),
  })
})

test('checks see nothing of the environment of the scan', async () => {
  const { result } = await scanWith([{ command: '/usr/bin/env' }])
  expect(result.health?.[0]?.attempts[0]?.output.split('\n').toSorted()).toEqual([
    'LANG=C',
    'LC_ALL=C',
    'PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin',
  ])
})

test('the output of checks of a sensitive resource stays out of the report', async () => {
  const { run } = await scanWith([{ command: sh('echo hunter2; exit 2') }], { resource: { sensitive: true } })
  expect(JSON.stringify(run.policies.map(({ resources }) => resources.map(({ health }) => health)))).not.toContain(
    'hunter2',
  )
})

test('monitoring runs the checks and looks at nothing else', async () => {
  const { result } = await scanWith([OK], { content: 'wrong', monitorOnly: true })
  expect(result).toMatchObject({ verdict: 'compliant', drift: [], health: [{ status: 'OK' }] })
  const critical = await scanWith([CRITICAL], { content: 'wrong', monitorOnly: true })
  expect(critical.result).toMatchObject({ verdict: 'drifted', drift: [HEALTH] })
})

test('monitoring shows nothing of what checks of a sensitive resource say', async () => {
  const secret = { command: sh('echo hunter2; exit 2') }
  const { run } = await scanWith([secret], { resource: { sensitive: true }, monitorOnly: true })
  expect(run.summary.drifted).toBe(1)
  expect(JSON.stringify(run.policies.flatMap(({ resources }) => resources.map(({ health }) => health)))).not.toContain(
    'hunter2',
  )
})

test('monitoring what has no check is no success', async () => {
  const { run, result } = await scanWith([], { monitorOnly: true })
  expect(result.verdict).toBe('not-applicable')
  expect(run.exit.code).toBe(5)
})

test('a resource that does not concern this machine is not checked', async () => {
  const { result } = await scanWith([CRITICAL], { resource: { control: { if: 'false' } } })
  expect(result).toMatchObject({ verdict: 'not-applicable' })
  expect(result.health).toBeUndefined()
})

test('a check that must not run leaves its resource undecided', async () => {
  const { result } = await scanWith([{ command: sh('exit 0'), name: 'forbidden', tries: 3 }], { runCommands: false })
  expect(result).toMatchObject({
    verdict: 'error',
    reason: 'not-observable',
    message: 'health check forbidden is UNKNOWN: policy commands are not run (--no-commands, --untrusted or --target)',
    health: [{ name: 'forbidden', status: 'UNKNOWN', attempts: [{ trouble: 'not-observable' }] }],
  })
})
