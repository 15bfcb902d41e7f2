import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, ownFile, PROGRAM, start, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

/** A directory with a policy of files that do not exist. */
function makeDrift(count = 1): string {
  const directory = temporaryDirectory()
  const names = Array.from({ length: count }, (_, index) => join(directory, `missing-${index}`))
  writePolicy(
    join(directory, 'policy.json'),
    names.map((name) => ({ name, ...ownFile({ content: 'x' }) })),
  )
  return directory
}

test('a report may go to a pipe that has a name', async () => {
  const pipe = `${PROGRAM.join(' ')} scan policy.json --report json=/dev/stderr --quiet 2>&1 >/dev/null | cat`
  const { stdout } = await start('bash', ['-c', pipe], { cwd: makeDrift() }).outcome
  expect(JSON.parse(stdout).summary.drifted).toBe(1)
})

test('a full standard output is exit 1 with a reason', async () => {
  const cwd = makeDrift()
  const { outcome } = start('bash', ['-c', `exec ${PROGRAM.join(' ')} scan policy.json >/dev/full`], { cwd })
  expect(await outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('no space left') })
})

test('a large report arrives whole, and a reader that leaves early is no error', async () => {
  const cwd = makeDrift(1_000)
  const { stdout } = await driftgate(['scan', 'policy.json', '--report', 'json'], { cwd })
  expect(JSON.parse(stdout).summary.drifted).toBe(1_000)
  const pipe = `${PROGRAM.join(' ')} scan policy.json --report json | head -c 1; echo " \${PIPESTATUS[0]}"`
  expect(await start('bash', ['-c', pipe], { cwd }).outcome).toMatchObject({ stdout: '{ 2\n', stderr: '' })
})
