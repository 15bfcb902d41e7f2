import { expect, test } from 'vitest'
import { EXIT } from '../../../src/model/gate.ts'
import type { Run } from '../../../src/model/run.ts'
import { auditUntilRight } from '../../../src/cli/scan/scan-here.ts'
import { quickClock } from '../../support/clock.ts'
import { runOf } from '../../support/run.ts'

interface Waited {
  readonly code: number
  readonly audits: number
  readonly said: readonly string[]
}

/** Audits that end with these codes, one after the other. */
async function wait(codes: readonly number[], limitMs: number, signal = new AbortController().signal): Promise<Waited> {
  let audits = 0
  const said: string[] = []
  const audit = async (): Promise<Run> => {
    const code = codes[audits++] ?? EXIT.ok
    return runOf({ exit: { code, reasons: [`code ${code}`] } })
  }
  const onWait = (message: string): void => void said.push(message)
  const run = await auditUntilRight(audit, { limitMs, signal, clock: quickClock(), onWait })
  return { code: run.exit.code, audits, said }
}

test('an audit is repeated until nothing is wrong', async () => {
  expect(await wait([EXIT.drift, EXIT.undecided, EXIT.ok], 60_000)).toEqual({
    code: EXIT.ok,
    audits: 3,
    said: ['audit 1: code 2; audited again in 1 s', 'audit 2: code 3; audited again in 1 s'],
  })
})

test.each([
  [2999, 3],
  [3000, 4],
])('in %i ms there is time for %i audits', async (limitMs, audits) => {
  expect(await wait(Array(9).fill(EXIT.drift), limitMs)).toMatchObject({ code: EXIT.drift, audits })
})

test.each([EXIT.ok, EXIT.notPerformed, EXIT.nothingEvaluated, EXIT.interrupted])(
  '%i is not waited for',
  async (code) => {
    expect(await wait([code], 60_000)).toMatchObject({ code, audits: 1 })
  },
)

test('drift that remains at the timeout is reported', async () => {
  expect(await wait([EXIT.drift], 0)).toEqual({ code: EXIT.drift, audits: 1, said: [] })
})

test('an interrupted wait ends at once', async () => {
  expect(await wait([EXIT.drift], 60_000, AbortSignal.abort())).toMatchObject({ code: EXIT.drift, audits: 1 })
})
