import process from 'node:process'
import { EXIT } from '../model/gate.ts'
import { runCommandLine } from './command-line.ts'
import { describeFailure } from './errors.ts'
import { processIo } from './output/io.ts'

export { runCommandLine } from './command-line.ts'
export { processIo } from './output/io.ts'

/** A directory that no process can have, for paths that start from one that was removed. */
const REMOVED = '/dev/null/the current directory was removed'

/** Where the current directory was removed, whatever needs none of it works all the same; relative paths lead nowhere, by a name that says why. */
function standSomewhere(): void {
  try {
    process.cwd()
  } catch {
    process.cwd = () => REMOVED
  }
}

/** Runs a command line as this process, which then ends with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const io = processIo()
  standSomewhere()
  process.on('uncaughtException', (error) => {
    io.say(describeFailure(error, io.env))
    // oxlint-disable-next-line unicorn/no-process-exit -- what nobody caught has left the process in an unknown state
    process.exit(EXIT.notPerformed)
  })
  process.exitCode = await runCommandLine(args, io)
}
