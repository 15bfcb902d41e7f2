import { setTimeout } from 'node:timers/promises'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { CommandOutcome } from '../../../host/command.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { endOf, type Tools } from './tools.ts'

export interface Operation {
  readonly argv: readonly [program: string, ...args: string[]]
  /** Aborted when the run is interrupted: nothing new is begun, but what has begun comes to its end. */
  readonly signal: AbortSignal
  /** Whether it failed, without any change, because another program holds the lock of the package database. */
  readonly isLocked: (outcome: Exited) => boolean
}

type Exited = Extract<CommandOutcome, { kind: 'exited' }>

export type Operate = (tools: Tools, operation: Operation) => Promise<ApplyOutcome>

/** How long to wait for other package programs, in milliseconds. */
export interface Patience {
  readonly limitMs?: number
  readonly pauseMs?: number
  /** Called once per change that has to wait, with a sentence that names the other program. */
  readonly onWait?: (message: string) => void
}

const DEFAULT_LIMIT_MS = 120_000
const DEFAULT_PAUSE_MS = 1000

/** Creates a function that never runs two package changes at once, even of different package managers. */
export function createOperator(patience: Patience = {}): Operate {
  let last: Promise<unknown> = Promise.resolve()
  return (tools, operation) => {
    const outcome = last.then(() => persist(tools, operation, patience))
    last = outcome.catch(() => undefined)
    return outcome
  }
}

/** Retries as long as another program holds the lock of the database. */
async function persist(tools: Tools, operation: Operation, patience: Patience): Promise<ApplyOutcome> {
  const { limitMs = DEFAULT_LIMIT_MS, pauseMs = DEFAULT_PAUSE_MS, onWait } = patience
  const [program] = operation.argv
  const start = performance.now()
  for (let isFirst = true; ; isFirst = false) {
    if (operation.signal.aborted) return failedOutcome(`${program} was not run: the run was interrupted`)
    const outcome = await perform(tools, operation)
    if (outcome.kind !== 'exited' || outcome.exitCode === 0 || !operation.isLocked(outcome)) {
      return judge(program, outcome)
    }
    if (performance.now() - start + pauseMs > limitMs) {
      return failedOutcome(
        `another program held the lock of the package database for ${limitMs / 1000} seconds${endOf(outcome.stderr)}`,
      )
    }
    if (isFirst)
      onWait?.(`waiting for another program that holds the lock of the package database${endOf(outcome.stderr)}`)
    await setTimeout(pauseMs)
  }
}

/**
 * Has no timeout, and an interrupted run waits for its end: a killed package manager leaves packages half-installed. It
 * completes even if this process is told to exit at once.
 */
function perform(tools: Tools, { argv }: Operation): Promise<CommandOutcome> {
  const signal = new AbortController().signal
  return runCommand({ argv, workingDirectory: '/', environment: tools.environment, outlivesUs: true, signal })
}

function judge(program: string, outcome: CommandOutcome): ApplyOutcome {
  switch (outcome.kind) {
    case 'not-started':
      return failedOutcome(outcome.message)
    case 'killed':
      return failedOutcome(`${program} was killed: ${outcome.reason}${endOf(outcome.stderr)}`)
    case 'exited':
      return outcome.exitCode === 0
        ? { kind: 'done' }
        : failedOutcome(`${program} exited with code ${outcome.exitCode}${endOf(outcome.stderr)}`)
  }
}

function failedOutcome(message: string): ApplyOutcome {
  return { kind: 'failed', message }
}
