import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Comparison } from '../../src/model/findings/compare.ts'
import { hasEnded } from '../support/alive.ts'
import { driftgate, type Running, startDriftgate, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

function watch(cwd: string, ...args: readonly string[]): Running {
  return startDriftgate(['watch', ...args], { cwd })
}

/** Ends a watch as a container does, and returns what it has done. */
function stop({ child, outcome }: Running): Running['outcome'] {
  child.kill('SIGTERM')
  return outcome
}

/** Resolves once a file holds a text. */
async function holds(path: string, text: string): Promise<void> {
  while (!existsSync(path) || !readFileSync(path, 'utf8').includes(text)) await setTimeout(10)
}

/** A policy that wants a file absent, and the path of that file. */
function wantAbsent(cwd: string): string {
  const planted = join(cwd, 'planted')
  writePolicy(join(cwd, 'policy.json'), [{ name: planted, ensure: 'absent' }], { id: 'clean' })
  return planted
}

/** A policy whose one resource runs a script to look. */
function wantScript(cwd: string, script: string): void {
  const exec = { look: { command: '/bin/true', unless: script, provider: 'shell', cwd } }
  writeFileSync(join(cwd, 'policy.json'), JSON.stringify({ ccm: { resources: [{ exec: [exec] }] } }))
}

const SCANNED = /^\S+Z \d+ resources?: .*/gm

test('says what each scan found, shows what changed, and calls the command for changes alone', async () => {
  const cwd = temporaryDirectory()
  const planted = wantAbsent(cwd)
  const command = 'cat >comparison.json; echo x >>calls; echo called'
  const running = watch(cwd, 'policy.json', '--every', '100ms', '--on-change', command, '--report', 'json=drift.json')
  await running.said('1 resource: 1 compliant')
  writeFileSync(planted, '')
  await running.said('called')
  expect(readFileSync(join(cwd, 'calls'), 'utf8')).toBe('x\n')
  const comparison = JSON.parse(readFileSync(join(cwd, 'comparison.json'), 'utf8')) as Comparison
  expect(comparison).toMatchObject({
    schema: 'driftgate.comparison/v1',
    counts: { new: 1, resolved: 0 },
    drift: [{ fate: 'new', policy: 'clean', resource: `file#${planted}`, property: 'ensure' }],
  })
  rmSync(planted)
  await running.said('changed: 1 resolved')
  await holds(join(cwd, 'calls'), 'x\nx\n')
  const { code, stdout, stderr } = await stop(running)
  expect(code).toBe(0)
  expect(readFileSync(join(cwd, 'calls'), 'utf8')).toBe('x\nx\n')
  expect(stderr.match(/changed: /g)).toHaveLength(2)
  expect(stderr.match(SCANNED)?.length).toBeGreaterThan(2)
  // The report of the first scan, then only what is different.
  expect(stdout.match(/^Audit of /gm)).toHaveLength(1)
  expect(stdout).toMatch(/^new .*planted/m)
  expect(stdout).toMatch(/^resolved .*planted/m)
  expect(JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8'))).toMatchObject({ schema: 'driftgate.report/v1' })
})

test('a report that goes to standard output is that of every scan, and nothing else is there', async () => {
  const cwd = temporaryDirectory()
  wantAbsent(cwd)
  const running = watch(cwd, 'policy.json', '--every', '50ms', '--report', 'junit')
  await running.said('</testsuites>')
  const { stdout } = await stop(running)
  expect(stdout.trim()).toMatch(/^(<\?xml[^]*?<\/testsuites>\s*)+$/)
})

test('no two scans run at once, and what comes too early is left out', async () => {
  const cwd = temporaryDirectory()
  wantScript(cwd, 'echo start >>log; sleep 0.3; echo end >>log')
  const running = watch(cwd, 'policy.json', '--every', '20ms')
  await running.said('is skipped')
  await holds(join(cwd, 'log'), 'start\nend\nstart\nend\nstart\n')
  expect((await stop(running)).code).toBe(0)
  const lines = readFileSync(join(cwd, 'log'), 'utf8').trim().split('\n')
  for (const [index, line] of lines.entries()) if (index % 2 === 0) expect(line).toBe('start')
  expect(lines.filter((line, index) => line === 'start' && lines[index + 1] === 'start')).toEqual([])
})

test('a scan that hangs is cut with the commands it runs, and the next one is performed', async () => {
  const cwd = temporaryDirectory()
  wantScript(cwd, 'test -e answer || { echo $$ >pid; exec sleep 1000; }')
  const running = watch(cwd, 'policy.json', '--every', '10ms', '--run-timeout', '2s', '--metrics', 'driftgate.prom')
  await running.said('the scan was killed after 2 s')
  expect(await hasEnded(readFileSync(join(cwd, 'pid'), 'utf8').trim())).toBe(true)
  await holds(join(cwd, 'driftgate.prom'), 'driftgate_watch_scans_total{scan="driftgate",fate="cut"} 1')
  expect(readFileSync(join(cwd, 'driftgate.prom'), 'utf8')).toContain('driftgate_watch_ok{scan="driftgate"} 0')
  expect(readFileSync(join(cwd, 'driftgate.prom'), 'utf8')).not.toContain('driftgate_watch_success_timestamp_seconds')
  writeFileSync(join(cwd, 'answer'), '')
  await running.said('1 resource: 1 compliant')
  await holds(join(cwd, 'driftgate.prom'), 'driftgate_watch_ok{scan="driftgate"} 1')
  expect((await stop(running)).code).toBe(0)
})

test('a scan that does not even listen is killed with all it started', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(
    join(cwd, 'policy.json'),
    JSON.stringify({ ccm: { resources: [{ 'acme.deaf': [{ post: { ensure: 'present' } }] }] } }),
  )
  writeFileSync(join(cwd, 'deaf.js'), DEAF)
  // Long enough for a busy machine to start one that looks before it is killed.
  const running = watch(cwd, 'policy.json', '--plugin', './deaf.js', '--every', '10ms', '--run-timeout', '10s')
  await holds(join(cwd, 'pids'), ' ')
  for (const pid of readFileSync(join(cwd, 'pids'), 'utf8').trim().split(' ').slice(0, 2)) {
    expect(await hasEnded(pid)).toBe(true)
  }
  await running.said('the scan was killed')
  expect((await stop(running)).code).toBe(0)
})

/** A type whose observation blocks its process for ever, beside a command in a group of its own. */
const DEAF = `
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { defineProperties, definePlugin, defineResource } from 'driftgate'

const deaf = defineResource({
  type: 'acme.deaf',
  summary: 'Hears nothing',
  properties: defineProperties({
    name: { kind: 'text', required: true, summary: 'Anything' },
    ensure: { kind: 'text', default: 'present', oneOf: ['present'], summary: 'Always there' },
  }),
  drifts: ['ensure'], uses: ['files'],
  examples: [],
  providers: [
    {
      name: 'posix',
      observe() {
        const { pid } = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
        appendFileSync('pids', process.pid + ' ' + pid + ' ')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      },
      apply: () => Promise.resolve({ kind: 'done' }),
    },
  ],
  decide: () => ({ ensure: { desired: 'present', observed: 'present' }, drift: [], unknown: [], plan: { kind: 'none' } }),
})
export const plugin = definePlugin({ apiVersion: 2, types: [deaf] })
`

test('SIGTERM lets a running scan write its reports, and is no failure', async () => {
  const cwd = temporaryDirectory()
  wantScript(cwd, 'echo started >log; exec sleep 1000')
  const running = watch(cwd, 'policy.json', '--every', '1h', '--report', 'json=drift.json')
  await holds(join(cwd, 'log'), 'started')
  const { code, stderr } = await stop(running)
  expect(code).toBe(0)
  expect(stderr).toContain('the scan was stopped')
  expect(JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8'))).toMatchObject({ run: { interrupted: true } })
})

test('a policy that is not valid ends a watch that has just begun', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.yaml'), 'ccm: { resources: [{ fiel: {} }] }')
  const { code, stdout, stderr } = await driftgate(['watch', 'policy.yaml', '--every', '1h'], { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('policy.yaml:1:')
  expect(stderr).toContain('could not be performed')
})

test('a policy that is not valid any more is said, and one that is again is used', async () => {
  const cwd = temporaryDirectory()
  const planted = wantAbsent(cwd)
  const policy = readFileSync(join(cwd, 'policy.json'))
  const running = watch(cwd, 'policy.json', '--every', '50ms', '--metrics', 'm.prom', '--on-change', 'echo called')
  await running.said('1 compliant')
  writeFileSync(join(cwd, 'policy.json'), '{')
  await running.said('could not be performed')
  await holds(join(cwd, 'm.prom'), 'driftgate_watch_ok{scan="m"} 0')
  writeFileSync(planted, '')
  writeFileSync(join(cwd, 'policy.json'), policy)
  // It is compared with the last scan that was performed.
  await running.said('changed: 1 new')
  await running.said('called')
  expect((await stop(running)).code).toBe(0)
})

test.each([
  ['exit 7', '1h', 'exit 7'],
  ['sleep 1000', '3s', 'did not end within 3 s'],
  ['no-such-command', '1h', 'exit 127'],
])('a command that fails (%s) is said and stops nothing', async (command, timeout, reason) => {
  const cwd = temporaryDirectory()
  const planted = wantAbsent(cwd)
  const running = watch(cwd, 'policy.json', '--every', '50ms', '--run-timeout', timeout, '--on-change', command)
  await running.said('1 compliant')
  writeFileSync(planted, '')
  await running.said(`the command of --on-change failed: ${reason}`)
  rmSync(planted)
  await running.said('changed: 1 resolved')
  expect((await stop(running)).code).toBe(0)
})

test('the first scan is compared with the last one that the history holds of these policies', async () => {
  const cwd = temporaryDirectory()
  const planted = wantAbsent(cwd)
  const stored = ['--history', join(cwd, 'history'), '--keep', '1']
  await driftgate(['scan', 'policy.json', ...stored], { cwd })
  writeFileSync(
    join(cwd, 'other.json'),
    JSON.stringify({ ccm: { resources: [{ file: { name: '/nowhere', ensure: 'absent' } }] } }),
  )
  writeFileSync(planted, '')
  const running = watch(
    cwd,
    'policy.json',
    '--every',
    '1h',
    ...stored,
    '--on-change',
    'cat >comparison.json; echo called',
  )
  await running.said('called')
  await stop(running)
  expect(JSON.parse(readFileSync(join(cwd, 'comparison.json'), 'utf8'))).toMatchObject({ counts: { new: 1 } })

  const other = watch(cwd, 'other.json', '--every', '1h', ...stored, '--on-change', 'echo called')
  await other.said('next at')
  const { stderr, stdout } = await stop(other)
  expect(`${stdout}${stderr}`).not.toMatch(/called|changed/)
})

test('the metrics are those of the last scan and of the watch', async () => {
  const cwd = temporaryDirectory()
  wantAbsent(cwd)
  const running = watch(cwd, 'policy.json', '--every', '50ms', '--metrics', 'driftgate.prom')
  await holds(join(cwd, 'driftgate.prom'), 'driftgate_watch_scans_total{scan="driftgate",fate="done"} 2')
  const text = readFileSync(join(cwd, 'driftgate.prom'), 'utf8')
  expect((await stop(running)).code).toBe(0)
  expect(text).toMatch(/^driftgate_scan_exit_code\{scan="[^"]+"\} 0$/m)
  expect(text).toMatch(/^driftgate_watch_success_timestamp_seconds\{scan="driftgate"\} \d/m)
  // The exposition format allows one HELP and one TYPE for a family, and asks for a name, labels and a number.
  const lines = text.trimEnd().split('\n')
  expect(new Set(lines).size).toBe(lines.length)
  for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) driftgate_\w+ .+|driftgate_\w+(\{.+\})? [\d.e+-]+)$/)
})

test('a cron expression decides when the next scan is', async () => {
  const cwd = temporaryDirectory()
  wantAbsent(cwd)
  const running = watch(cwd, 'policy.json', '--cron', '0 0 1 1 *')
  await running.said('next at')
  const { code, stderr } = await stop(running)
  expect(code).toBe(0)
  const year = new Date().getFullYear() + 1
  expect(stderr).toContain(`next at ${new Date(year, 0, 1).toISOString()}`)
})
