// What ss(8) prints about sockets that the test makes, in a network namespace of its own, is what has to be seen.
import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'
import { findSystemProgram } from '../../../../src/host/live/system-programs.ts'
import { bundle } from '../../../support/bundle.ts'
import { cases } from '../../../support/soak.ts'
import { needsRoot } from '../../../support/temporary.ts'

const missing = ['ss', 'ip', 'unshare'].find((name) => findSystemProgram(name) === undefined)
const skipped = needsRoot ?? (missing === undefined ? undefined : `needs ${missing}`)

test.skipIf(skipped)(`the same sockets and owners as ss shows (${skipped ?? 'root'})`, async () => {
  const sockets = cases({ usual: 360, soak: 6_000 })
  const program = await bundle(`
    import { showListening } from './test/support/listening.ts'
    await showListening(${sockets}, ${Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1)})
  `)
  const setUp =
    'mount -t sysfs none /sys && ip link set lo up && ' +
    'ip addr add 10.9.8.7/24 dev lo && ip addr add fd00:9::7/64 dev lo nodad && exec "$@"'
  const argv = ['--net', '--mount', 'sh', '-ec', setUp, 'sh', process.execPath, program.file]
  const printed = execFileSync('unshare', argv, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  program.remove()
  const { rounds, made } = JSON.parse(printed) as { rounds: { ours: string[]; theirs: string[] }[]; made: number }
  expect(made).toBe(sockets)
  expect(rounds.flatMap(({ theirs }) => theirs).length).toBeGreaterThan((sockets * 3) / 4)
  for (const { ours, theirs } of rounds) expect(ours).toEqual(theirs)
})
