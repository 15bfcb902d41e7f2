import { runCommandLine } from '../../src/cli/command-line.ts'
import type { Paint } from '../../src/cli/output/color.ts'
import type { Io } from '../../src/cli/output/io.ts'

/** What a command line came to. */
export interface InProcess {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const plain: Paint = (_tone, text) => text

/** Runs a command line in this process and without a build, on channels that are pipes to somebody who reads everything. */
export function runInProcess(...args: readonly string[]): Promise<InProcess> {
  return runInProcessWith({}, ...args)
}

/** The same with variables of the environment, as far as the command line itself reads them. */
export async function runInProcessWith(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<InProcess> {
  const printed: string[] = []
  const said: string[] = []
  const io: Io = {
    env,
    print: (text) => Promise.resolve(void printed.push(text)),
    isOutputPrivate: () => true,
    outputColumns: () => undefined,
    say: (text) => void said.push(text),
    paintOutput: () => Promise.resolve(plain),
    paintMessages: () => Promise.resolve(plain),
    screen: undefined,
  }
  const code = await runCommandLine(args, io)
  return { code, stdout: printed.join(''), stderr: said.join('') }
}
