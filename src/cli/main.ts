import process from 'node:process'
import { EXIT } from '../model/gate.ts'
import { runCommandLine } from './command-line.ts'
import { describeFailure } from './errors.ts'
import { optimizeLate } from './launcher/optimizing.ts'
import { processIo } from './output/io.ts'

export { runCommandLine } from './command-line.ts'
export { processIo } from './output/io.ts'

/** An impossible directory, as the base of relative paths if the current one was removed. */
const REMOVED = '/dev/null/the current directory was removed'

/**
 * If the current directory was removed, commands that do not need it still work; relative paths fail with a name that
 * shows the reason.
 */
function standSomewhere(): void {
  try {
    process.cwd()
  } catch {
    process.cwd = () => REMOVED
  }
}

/** Runs a command line in this process, which then exits with its code: "not performed" if it ends without one. */
export async function main(args: readonly string[]): Promise<void> {
  optimizeLate()
  let result: number | undefined
  const endAtOnce = (code: number): void => {
    result = code
    // oxlint-disable-next-line unicorn/no-process-exit -- nothing may delay the end
    process.exit()
  }
  const io = processIo(endAtOnce)
  standSomewhere()
  process.on('uncaughtException', (error) => {
    io.say(describeFailure(error, io.env))
    endAtOnce(EXIT.notPerformed)
  })
  process.on('exit', () => {
    if (result === undefined) io.say('driftgate: internal error: the process ended without a result\n')
    // Plugin code may have set another exit code.
    process.exitCode = result ?? EXIT.notPerformed
  })
  result = await runCommandLine(args, io)
}
