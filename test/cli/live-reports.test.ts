import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory, writePolicy } from '../support/driftgate.ts'

type Event = Readonly<Record<string, unknown>>

function parse(text: string): readonly Event[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event)
}

test('the events are those that a stored report of the same run gives', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'x'), ensure: 'absent' }])
  const scan = ['scan', 'policy.json', '--report', 'ndjson', '--report', 'json=drift.json']
  const { stdout } = await driftgate(scan, { cwd })
  expect((await driftgate(['report', 'ndjson', 'drift.json'], { cwd })).stdout).toBe(stdout)
})

test('an interruption ends the events with an end that says so', async () => {
  const cwd = temporaryDirectory()
  const resources = [
    { file: { name: join(cwd, 'a'), ensure: 'absent' } },
    { exec: { name: 'true', unless: 'sleep 600' } },
  ]
  writeFileSync(join(cwd, 'policy.json'), JSON.stringify({ ccm: { resources } }))
  const interrupt = { by: 'SIGTERM', after: '/a","type"' } as const
  const { code, stdout } = await driftgate(['scan', 'policy.json', '--report', 'ndjson'], { cwd, interrupt })
  expect(code).toBe(143)
  expect(parse(stdout).at(-1)).toMatchObject({ event: 'end', run: { interrupted: true }, exit: { code: 143 } })
})

/** A policy of so many resources that their events fill every pipe. */
function makeMany(): string {
  const cwd = temporaryDirectory()
  const files = Array.from({ length: 2000 }, (_, index) => ({ name: join(cwd, `f${index}`), ensure: 'absent' }))
  writePolicy(join(cwd, 'policy.json'), files)
  return cwd
}

test('a disk that is full is told once, costs exit 1, and does not stop the scan', async () => {
  const cwd = makeMany()
  const args = ['scan', 'policy.json', '--report', 'ndjson=/dev/full', '--report', 'json=drift.json', '--quiet']
  const { code, stderr } = await driftgate(args, { cwd })
  expect(code).toBe(1)
  expect(stderr).toBe('driftgate: cannot write the report /dev/full: no space left on the device\n')
  expect(JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8'))).toMatchObject({ summary: { total: 2000 } })
})

test('a policy that is not valid gives a start and an end with its problems', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.json'), '{}')
  const { code, stdout } = await driftgate(['scan', 'policy.json', '--report', 'ndjson'], { cwd })
  expect(code).toBe(1)
  expect(parse(stdout)).toMatchObject([{ event: 'start' }, { event: 'end', exit: { code: 1 } }])
  expect(parse(stdout)[1]?.['problems']).not.toEqual([])
})
