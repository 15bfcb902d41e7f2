import { execFile } from 'node:child_process'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { findProgram } from '../../../host/live/find-program.ts'
import { endWithUs } from '../../../host/live/end-with-us.ts'
import { SYSTEM_PATH, systemEnvironment } from '../../../host/live/system-programs.ts'
import { errorCode } from '../../../host/live/system-error.ts'

/** How the programs of package managers are found and what they are told of their surroundings. */
export interface ToolOptions {
  /** Where programs are looked for, in the form of PATH; where those of the system lie unless a test says otherwise. */
  readonly searchPath?: string
  /** Variables beside those this process has. */
  readonly environment?: Readonly<Record<string, string>>
}

// Thousands of packages make a few hundred kilobytes.
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

const MAX_SHOWN_CHARACTERS = 1000

export interface Tools {
  /** The whole environment of every program that is run; what they say is in English. */
  readonly environment: Readonly<Record<string, string>>
  /** Path of a program; undefined if there is no executable one. */
  find(program: string): string | undefined
  /** Runs a program that only reads. Known is what it wrote to standard output, if it ended well and in time. */
  ask(argv: readonly [program: string, ...args: string[]], timeoutMs: number): Promise<Reading<string>>
}

/** Looks at files alone; no program is run until one is asked. */
export function openTools({ searchPath = SYSTEM_PATH, environment = {} }: ToolOptions = {}): Tools {
  const whole = { ...systemEnvironment(searchPath), LC_ALL: 'C', ...environment }
  return {
    environment: whole,
    find: (program) => findProgram(program, searchPath.split(':')),
    ask([program, ...args], timeoutMs) {
      const options = {
        env: whole,
        cwd: '/',
        encoding: 'utf8',
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_ANSWER_BYTES,
      } as const
      return new Promise((resolve) => {
        const child = execFile(program, args, options, (error, stdout, stderr) => {
          letGo()
          resolve(error === null ? readAnswer(program, stdout, stderr) : explain(program, error, { stderr, timeoutMs }))
        })
        const letGo = endWithUs(() => void child.kill('SIGKILL'))
      })
    },
  }
}

/** Some of these programs report a broken database or index and end well all the same. */
function readAnswer(program: string, stdout: string, stderr: string): Reading<string> {
  const complaint = /^(?:error|E): .*$/m.exec(stderr)
  return complaint === null ? known(stdout) : unknown('not-observable', `${program}: ${complaint[0]}`)
}

function explain(
  program: string,
  error: Error,
  { stderr, timeoutMs }: { readonly stderr: string; readonly timeoutMs: number },
): Reading<never> {
  if (errorCode(error) === 'ENOENT') return unknown('not-observable', `${program} is not installed`)
  if ('killed' in error && error.killed === true) {
    return unknown('timeout', `${program} timed out after ${timeoutMs / 1000} seconds`)
  }
  const code = 'code' in error ? String(error.code) : 'unknown'
  return unknown('not-observable', `${program} exited with code ${code}${endOf(stderr)}`)
}

/** The end of what a program wrote, where the reason of a failure stands, as the end of a sentence. */
export function endOf(output: string): string {
  const text = output.trim()
  if (text.length <= MAX_SHOWN_CHARACTERS) return text === '' ? '' : `: ${text}`
  return `: \u2026${text.slice(-MAX_SHOWN_CHARACTERS)}`
}
