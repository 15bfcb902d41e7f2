import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { type Deadline, endOf, listDeadlines, removeDeadline, restMsOf } from '../../../engine/rescue/deadline.ts'
import { removeWatcher } from '../../../engine/rescue/watcher.ts'
import { ownStateDirectories } from '../../../host/live/state-directory.ts'
import { stateDirectoryOf } from '../../options/state.ts'
import type { Io } from '../../output/io.ts'
import type { ConfirmInvocation } from './index.ts'

/** Confirms a fix and returns the exit code. Throws an `OperatorError` without a pending fix. */
export async function runConfirm({ operands: [wanted = ''], options }: ConfirmInvocation, io: Io): Promise<number> {
  const waiting = ownStateDirectories(stateDirectoryOf(options)).flatMap((directory) =>
    listDeadlines(directory).map((deadline) => ({ directory, ...deadline })),
  )
  const found = waiting.filter(({ run }) => run.startsWith(wanted))
  const [first, second] = found
  if (first === undefined) throw new OperatorError(nothingWaits(wanted))
  if (second !== undefined) throw new OperatorError(`name one of ${found.map(inWords).join(', ')}`)
  if (restMsOf(first) <= 0) throw new OperatorError(`the deadline has passed for ${inWords(first)}`)
  removeDeadline(first.directory, first.run)
  await removeWatcher(first.run, { isOwn: false })
  await io.print(`the fix ${first.run} stays\n`)
  return EXIT.ok
}

function nothingWaits(wanted: string): string {
  return wanted === ''
    ? 'no fix is pending confirmation'
    : `no pending fix matches "${wanted}"; driftgate fixes lists them`
}

function inWords(deadline: Deadline): string {
  return `${deadline.run} (until ${endOf(deadline)})`
}
