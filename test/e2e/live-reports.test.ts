import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM, start, startDriftgate, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

type Event = Readonly<Record<string, unknown>>

function parse(text: string): readonly Event[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event)
}

function kindsOf(text: string): readonly unknown[] {
  return parse(text).map(({ event }) => event)
}

/** A policy of three resources; the guard of the last one waits for the file `go`. */
function makeWaiting(): string {
  const cwd = temporaryDirectory()
  const guard = '/bin/sh -c "until test -e go; do sleep 0.02; done"'
  const resources = [
    { file: [{ [join(cwd, 'a')]: { ensure: 'absent' } }, { [join(cwd, 'b')]: { ensure: 'absent' } }] },
    { exec: [{ '/bin/true': { unless: guard, cwd } }] },
  ]
  writeFileSync(join(cwd, 'policy.json'), JSON.stringify({ ccm: { resources } }))
  return cwd
}

test('events are there while the scan still runs, on standard output and in a file', async () => {
  const cwd = makeWaiting()
  const args = ['scan', 'policy.json', '--report', 'ndjson', '--report', 'ndjson=events/live.ndjson']
  const { outcome, said } = startDriftgate(args, { cwd })
  await said('/b","type"')
  expect(kindsOf(readFileSync(join(cwd, 'events/live.ndjson'), 'utf8')).slice(0, 2)).toEqual(['start', 'resource'])
  writeFileSync(join(cwd, 'go'), '')
  const { code, stdout } = await outcome
  expect(code).toBe(0)
  expect(kindsOf(stdout)).toEqual(['start', 'resource', 'resource', 'resource', 'policy', 'end'])
  expect(readFileSync(join(cwd, 'events/live.ndjson'), 'utf8')).toBe(stdout)
})

test('a scan that is killed leaves whole events and no end', async () => {
  const cwd = makeWaiting()
  const args = ['scan', 'policy.json', '--report', 'ndjson', '--report', 'ndjson=live.ndjson']
  const { child, outcome, said } = startDriftgate(args, { cwd })
  await said('/b","type"')
  child.kill('SIGKILL')
  expect((await outcome).signal).toBe('SIGKILL')
  const text = readFileSync(join(cwd, 'live.ndjson'), 'utf8')
  expect(kindsOf(text)).toEqual(['start', 'resource', 'resource'])
  expect(text.endsWith('\n')).toBe(true)
})

/** A policy of so many resources that their events fill every pipe. */
function makeMany(): string {
  const cwd = temporaryDirectory()
  const files = Array.from({ length: 2000 }, (_, index) => ({ name: join(cwd, `f${index}`), ensure: 'absent' }))
  writePolicy(join(cwd, 'policy.json'), files)
  return cwd
}

test('a reader that goes away neither ends the scan nor costs another report', async () => {
  const cwd = makeMany()
  const { child, outcome } = startDriftgate(
    ['scan', 'policy.json', '--report', 'ndjson', '--report', 'json=drift.json', '--quiet'],
    { cwd },
  )
  child.stdout?.once('data', () => child.stdout?.destroy())
  expect(await outcome).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8'))).toMatchObject({ summary: { total: 2000 } })
})

test('a reader that takes line by line gets every event', async () => {
  const cwd = makeMany()
  const pipe = `${PROGRAM.join(' ')} scan policy.json --report ndjson | while read -r line; do echo "$line"; done`
  const { stdout } = await start('bash', ['-c', pipe], { cwd }).outcome
  expect(kindsOf(stdout)).toHaveLength(2003)
})
