import { setTimeout } from 'node:timers/promises'
import type { HealthCheck } from '../model/policy.ts'
import type { HealthAttempt, HealthResult, HealthStatus } from '../model/run.ts'
import { COMMANDS_FORBIDDEN } from '../subjects/shared/policy-command.ts'
import { type CommandOutcome, POLICY_ENVIRONMENT } from '../host/command.ts'
import type { Target } from '../host/target.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'

/** Maximum length of check output in the report, in characters. */
const OUTPUT_CHARACTERS = 2000

/** Exit codes of Nagios plugins; all others are UNKNOWN. */
const STATUSES: readonly HealthStatus[] = ['OK', 'WARNING', 'CRITICAL']

export interface CheckContext {
  readonly target: Target
  readonly signal: AbortSignal
  /** True if commands in policies must not run. */
  readonly commandsForbidden: boolean
  /** True if commands of Goss rules run with an empty environment. */
  readonly cleanEnvironment?: boolean
  /** True for untrusted policies: contents are not shown and nothing is sent. */
  readonly contentsHidden?: boolean
}

/**
 * Runs the health checks of a resource in order, each until it is OK or its tries are used up. A check that cannot be
 * started is not retried. Results are not redacted.
 *
 * @see CCM's `internal/healthcheck/nagios.go`
 */
export async function runHealthChecks(checks: readonly HealthCheck[], context: CheckContext): Promise<HealthResult[]> {
  const results: HealthResult[] = []
  for (const check of checks) results.push(await runCheck(check, context))
  return results
}

/** Redacts results; for a sensitive resource, only the decisions remain. */
export function redactHealth(health: readonly HealthResult[], redactor: Redactor, sensitive: boolean): HealthResult[] {
  return health.map(({ name, status, attempts }) => ({
    name: redactor.text(name),
    status,
    attempts: attempts.map((attempt) => ({ ...attempt, output: sensitive ? '' : redactor.text(attempt.output) })),
  }))
}

async function runCheck(check: HealthCheck, context: CheckContext): Promise<HealthResult> {
  const attempts: HealthAttempt[] = []
  for (;;) {
    const { attempt, isFinal } = await runAttempt(check, context)
    attempts.push(attempt)
    const { status } = attempt
    if (status === 'OK' || isFinal || attempts.length >= check.tries) return { name: check.name, status, attempts }
    if (!(await pause(check.pauseMs, context.signal))) return { name: check.name, status, attempts }
    // Values read in bulk are cached, so a retry must drop them.
    if ('rules' in check) context.target.forget()
  }
}

interface Tried {
  readonly attempt: HealthAttempt
  /** True if a retry is pointless. */
  readonly isFinal: boolean
}

async function runAttempt(check: HealthCheck, context: CheckContext): Promise<Tried> {
  if ('rules' in check) return judgeRules(check, context)
  const { argv, timeoutMs } = check
  const { target, signal, commandsForbidden } = context
  if (commandsForbidden) return { attempt: FORBIDDEN, isFinal: true }
  const start = performance.now()
  const outcome = await target.run({
    argv,
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs,
    signal,
  })
  const durationMs = Math.round(performance.now() - start)
  return { attempt: { ...describe(outcome), durationMs }, isFinal: outcome.kind === 'not-started' }
}

/** One try of Goss rules: CRITICAL if a rule fails. */
async function judgeRules(
  { rules, timeoutMs }: Extract<HealthCheck, { rules: unknown }>,
  context: CheckContext,
): Promise<Tried> {
  const start = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const { judgeHealthRules } = await import('./goss-health.ts')
  const judged = await judgeHealthRules(rules, context.target, {
    ...context,
    signal: AbortSignal.any([context.signal, timeout]),
  })
  const isLate = timeout.aborted && judged.status !== 'OK'
  const told = isLate
    ? ({ status: 'UNKNOWN', output: `took longer than ${timeoutMs} ms`, trouble: 'timeout' } as const)
    : judged
  const durationMs = Math.round(performance.now() - start)
  const attempt = { ...told, output: truncateOutput(told.output), durationMs }
  return { attempt, isFinal: context.commandsForbidden && told.status === 'UNKNOWN' }
}

const FORBIDDEN: HealthAttempt = {
  status: 'UNKNOWN',
  output: COMMANDS_FORBIDDEN,
  trouble: 'not-observable',
  durationMs: 0,
}

function describe(outcome: CommandOutcome): Omit<HealthAttempt, 'durationMs'> {
  switch (outcome.kind) {
    case 'not-started':
      return { status: 'UNKNOWN', output: outcome.message, trouble: 'command' }
    case 'killed': {
      const trouble = outcome.cause === 'timeout' ? 'timeout' : 'command'
      return { status: 'UNKNOWN', output: describeOutput(outcome.reason, outcome), trouble }
    }
    case 'exited': {
      const { exitCode } = outcome
      const status = STATUSES[exitCode] ?? 'UNKNOWN'
      return {
        status,
        exitCode,
        output: describeOutput('', outcome),
        ...(status === 'UNKNOWN' ? { trouble: 'command' } : {}),
      }
    }
  }
}

/** Plugins report on standard output; errors of the plugin itself are on standard error. */
function describeOutput(
  reason: string,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): string {
  const text = [reason, stdout.trim() === '' ? stderr.trim() : stdout.trim()].filter((part) => part !== '').join(': ')
  return truncateOutput(text)
}

function truncateOutput(text: string): string {
  return text.length > OUTPUT_CHARACTERS ? `${text.slice(0, OUTPUT_CHARACTERS)}…` : text
}

/** Waits; false if the run was aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
