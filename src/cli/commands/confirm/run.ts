import { EXIT } from '../../../core/gate.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { type Deadline, listDeadlines, removeDeadline } from '../../../rescue/deadline.ts'
import { removeWatcher } from '../../../rescue/watcher.ts'
import { ownStateDirectories } from '../../../target/local/state-directory.ts'
import type { Io } from '../../output/io.ts'
import type { ConfirmInvocation } from './options.ts'

/** Keeps a fix and returns the exit code. Throws an `OperatorError` where none waits. */
export async function runConfirm({ operands: [wanted = ''] }: ConfirmInvocation, io: Io): Promise<number> {
  const waiting = ownStateDirectories().flatMap((directory) =>
    listDeadlines(directory).map((deadline) => ({ directory, ...deadline })),
  )
  const found = waiting.filter(({ run }) => run.startsWith(wanted))
  const [first, second] = found
  if (first === undefined) throw new OperatorError(nothingWaits(wanted))
  if (second !== undefined) throw new OperatorError(`name one of ${found.map(inWords).join(', ')}`)
  if (Date.parse(first.at) <= io.clock.now()) throw new OperatorError(`it is too late for ${inWords(first)}`)
  removeDeadline(first.directory, first.run)
  await removeWatcher(first.run, { isOwn: false })
  await io.print(`the fix ${first.run} stays\n`)
  return EXIT.ok
}

function nothingWaits(wanted: string): string {
  return wanted === ''
    ? 'no fix waits to be confirmed'
    : `no fix that waits to be confirmed is called "${wanted}"; driftgate fixes lists them`
}

function inWords({ run, at }: Deadline): string {
  return `${run} (until ${at})`
}
