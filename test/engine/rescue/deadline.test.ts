import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { type Deadline, endOf, restMsOf, setDeadline } from '../../../src/engine/rescue/deadline.ts'
import { reviveWatchers } from '../../../src/engine/rescue/revive.ts'
import { isSystemdRunning } from '../../../src/runs/schedule/places.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const MINUTE = 60_000
const boot = (id: string, elapsedMs: number): { readonly id: string; readonly elapsedMs: number } => ({ id, elapsedMs })
const SET: Deadline = {
  run: 'a',
  withinMs: 5 * MINUTE,
  setAt: { wallMs: 100 * MINUTE, boot: boot('one', 10 * MINUTE) },
}

it.each([
  ['with the clock', 101, boot('one', 11 * MINUTE), 4],
  ['with the clock a day ahead', 100 + 24 * 60, boot('one', 11 * MINUTE), 4],
  ['with the clock a day behind', 100 - 24 * 60, boot('one', 11 * MINUTE), 4],
  ['after a restart', 102, boot('two', MINUTE), 3],
  ['after a restart with the clock ahead', 200, boot('two', MINUTE), -95],
  ['after a restart with the clock behind', 0, boot('two', 2 * MINUTE), 3],
  ['without a clock of the time since boot', 103, undefined, 2],
])('%s', (_name, wall, now, minutes) => {
  const clock = { wallMs: wall * MINUTE, ...(now && { boot: now }) }
  expect(restMsOf(SET, clock) / MINUTE).toBe(minutes)
  expect(endOf(SET)).toBe('1970-01-01T01:45:00.000Z')
})

// Root under systemd gets a service; the tests of hosts start those.
it.skipIf(isSystemdRunning())(
  'a watcher that was killed is started again, and one that is being started is left alone',
  async () => {
    const directory = temporaryDirectory()
    const killed = spawn('true')
    await once(killed, 'exit')
    const watcher = { kind: 'process', pid: killed.pid ?? 0, startTicks: '1' } as const
    setDeadline(directory, { run: 'gone', withinMs: MINUTE, watcher })
    setDeadline(directory, { run: 'starting', withinMs: MINUTE })
    // It ends at once instead of watching; what counts is that it was started.
    const program = ['/bin/true'] as const
    expect(await reviveWatchers(directory, program)).toEqual(['gone'])
  },
)
