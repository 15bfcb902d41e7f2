import { runCommand } from '../../host/live/run-command.ts'
import { systemEnvironment } from '../../host/live/system-programs.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Scope } from './plan.ts'

/** Starting a timer is fast; an unresponsive systemd must not block. */
const TIMEOUT_MS = 60_000

export type ToolOutcome =
  { readonly kind: 'done' | 'refused'; readonly output: string } | { readonly kind: 'missing'; readonly output: string }

/** Runs a system tool to completion, without a shell. */
export async function runTool(argv: readonly [program: string, ...args: string[]]): Promise<ToolOutcome> {
  const { signal } = new AbortController()
  const outcome = await runCommand({
    argv,
    workingDirectory: '/',
    environment: systemEnvironment(),
    timeoutMs: TIMEOUT_MS,
    signal,
  })
  switch (outcome.kind) {
    case 'exited':
      return { kind: outcome.exitCode === 0 ? 'done' : 'refused', output: outcome.output.trim() }
    case 'killed':
      return { kind: 'refused', output: `${outcome.output.trim()} (${outcome.reason})`.trim() }
    case 'not-started':
      return { kind: 'missing', output: outcome.message }
  }
}

/** Runs systemctl. Throws an `OperatorError` with its output on failure. */
export async function systemctl(scope: Scope, ...args: readonly string[]): Promise<void> {
  const outcome = await trySystemctl(scope, ...args)
  if (outcome.kind !== 'done') throw new OperatorError(`systemctl ${args.join(' ')}: ${outcome.output}`)
}

/** Runs systemctl and tolerates a failure. */
export function trySystemctl(scope: Scope, ...args: readonly string[]): Promise<ToolOutcome> {
  const manager = scope.kind === 'user' ? ['--user'] : []
  return runTool(['systemctl', '--no-ask-password', ...manager, ...args])
}

/**
 * Next time of a calendar event, as systemd prints it; undefined without systemd-analyze. Throws an `OperatorError` for
 * an invalid event.
 */
export async function nextElapse(calendar: string): Promise<string | undefined> {
  const { kind, output } = await runTool(['systemd-analyze', 'calendar', '--', calendar])
  if (kind === 'missing') return undefined
  if (kind === 'refused') throw new OperatorError(`--on-calendar: ${output}; see systemd.time(7)`)
  return /^\s*Next elapse: (.*)$/m.exec(output)?.[1]
}
