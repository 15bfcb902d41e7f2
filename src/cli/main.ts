import process from 'node:process'
import { EXIT } from '../core/gate.ts'
import { runCommandLine } from './command-line.ts'
import { describeFailure } from './errors.ts'
import { processIo } from './output/io.ts'

export { runCommandLine } from './command-line.ts'
export { processIo } from './output/io.ts'

/** Runs a command line as this process, which then ends with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const io = processIo()
  process.on('uncaughtException', (error) => {
    io.say(describeFailure(error, io.env))
    // oxlint-disable-next-line unicorn/no-process-exit -- what nobody caught has left the process in an unknown state
    process.exit(EXIT.notPerformed)
  })
  process.exitCode = await runCommandLine(args, io)
}
