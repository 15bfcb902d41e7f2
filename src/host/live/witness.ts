import { defined } from '../../model/defined.ts'
import type { Manner, Testimony, Witnesses } from '../witness.ts'
import { runCommand } from './run-command.ts'
import { inSandbox } from './sandbox.ts'
import { errorCode } from './system-error.ts'
import { whoCanChange } from './who-can-change.ts'

// Inherits no variable: with HOME, some programs read files of the calling user.
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }
const TIMEOUT_MS = 5_000
const MOST_BYTES = 16 * 1024 * 1024
const AT_ONCE = 2

/** Runs programs by absolute path, at most two at once. */
export function openWitnesses(): Witnesses {
  const answers = new Map<string, Promise<Testimony | undefined>>()
  const waiting: (() => void)[] = []
  let running = 0
  const ask = async (argv: readonly [string, ...string[]], manner: Manner): Promise<Testimony | undefined> => {
    if (running < AT_ONCE) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await queryProgram(argv, manner)
    } finally {
      // Passes this slot on to the next waiter, so that no new question takes it.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
  return {
    ask(argv, manner = {}) {
      const key = JSON.stringify([argv, manner])
      const answer = answers.get(key) ?? ask(argv, manner)
      answers.set(key, answer)
      return answer
    },
    forget: () => answers.clear(),
  }
}

async function queryProgram(
  argv: readonly [string, ...string[]],
  { user, sandboxed = false }: Manner,
): Promise<Testimony | undefined> {
  const command = sandboxed ? inSandbox(argv) : argv
  if (!isOfRoot(argv[0]) || !isOfRoot(command[0])) return undefined
  const outcome = await runCommand({
    argv: command,
    workingDirectory: '/',
    environment: ENVIRONMENT,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MOST_BYTES,
    signal: new AbortController().signal,
    ...defined({ user }),
  })
  return outcome.kind === 'exited' ? outcome : undefined
}

function isOfRoot(program: string): boolean {
  try {
    return whoCanChange(program) === undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
