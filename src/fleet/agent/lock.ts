import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { lockDescriptor } from '../../host/live/lock-descriptor.ts'

/** Stays where it is, like the lock of a fix: a process that locked a removed file would lock nothing. */
const FILE_NAME = 'agent.lock'

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** What an agent is told that comes second. */
function anotherAgent(directory: string): string {
  return `another agent is running for ${directory}: a host has one, "systemctl status driftgate-agent" may show it`
}

/**
 * Makes this process the only one that sends for a directory until the file is closed by what is given, or the process ends in any way.
 * Throws an `OperatorError` where there is another one, in the words of `isTaken`.
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
    throw new OperatorError(
      `cannot lock ${path}: ${systemReason(error)}; a host becomes one of a fleet with "driftgate fleet join"`,
      { cause: error },
    )
  }
}
