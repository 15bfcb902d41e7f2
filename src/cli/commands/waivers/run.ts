import { dayOfTime } from '../../../model/calendar.ts'
import { EXIT } from '../../../model/gate.ts'
import { reportProblems } from '../../errors.ts'
import { readWaiverFiles, warnDaysOf } from '../../options/waiver.ts'
import type { Io } from '../../output/io.ts'
import { checkedWaivers, listedWaivers, waiversJson } from './describe.ts'
import type { WaiversInvocation } from './index.ts'

export async function runWaivers(
  { operands: [action, ...paths], options }: WaiversInvocation,
  io: Io,
): Promise<number> {
  const today = dayOfTime(new Date(io.clock.now()).toISOString())
  const read = await readWaiverFiles(paths, options, today)
  if (!read.ok) {
    await reportProblems(read.problems, io)
    return EXIT.notPerformed
  }
  const day = { today, warnDays: warnDaysOf(options) }
  if (action === 'list') {
    const text = options.json ? waiversJson(read.value, day) : listedWaivers(read.value, day, await io.paintOutput())
    await io.print(text)
    return EXIT.ok
  }
  const { summary, warnings } = checkedWaivers(read.value, paths, day)
  await reportProblems(warnings, io)
  await io.print(summary)
  return EXIT.ok
}
