import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { lockDescriptor } from '../../host/live/lock-descriptor.ts'

/** Never removed, as is the fix lock: locking a deleted file would have no effect. */
const FILE_NAME = 'agent.lock'

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Message for a second agent. */
function anotherAgent(directory: string): string {
  return `another agent is running for ${directory}, and a host runs only one: see "systemctl status driftgate-agent"`
}

/**
 * Takes the agent lock of a directory until the returned function is called or the process ends. Throws an
 * `OperatorError` with the message of `isTaken` if another process holds it.
 */
export async function beTheAgent(
  directory: string,
  isTaken: (directory: string) => string = anotherAgent,
): Promise<() => void> {
  const path = join(directory, FILE_NAME)
  const fd = open(path)
  const outcome = await lockDescriptor(fd)
  if (outcome.kind === 'locked') {
    ftruncateSync(fd)
    writeSync(fd, `${process.pid}\n`)
    return () => closeSync(fd)
  }
  closeSync(fd)
  throw new OperatorError(outcome.kind === 'taken' ? isTaken(directory) : `cannot lock ${path}: ${outcome.message}`)
}

function open(path: string): number {
  try {
    return openSync(path, FLAGS, 0o600)
  } catch (error) {
    throw new OperatorError(`cannot lock ${path}: ${systemReason(error)}; join a fleet with "driftgate fleet join"`, {
      cause: error,
    })
  }
}
