import { known, type Reading, unknown, type Unknown } from '../../../model/observation.ts'
import type { LoadedAudit } from '../auditd.ts'
import { loadLines, type PlacedSetting, type Resolved } from '../rules/layers.ts'
import { type AuditRule, type SettingName, SETTINGS } from '../rules/rule.ts'
import type { CommandOutcome } from '../../../host/command.ts'
import { findProgram } from '../../../host/live/find-program.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import type { AuditPlace } from './place.ts'

const TIMEOUT_MS = 30_000
/** More than the output for any realistic number of rules. */
const LARGEST_LISTING = 16 * 1024 * 1024

/** Output of auditctl. */
export interface KernelAnswer {
  readonly rules: string
  readonly status: string
}

/** Queries the kernel through auditctl, which needs root and fails in a container. */
export async function askKernel({ searchPath }: AuditPlace, signal: AbortSignal): Promise<Reading<KernelAnswer>> {
  const auditctl = findProgram('auditctl', searchPath.split(':'))
  if (auditctl === undefined) {
    return unknown('not-observable', 'auditctl is not installed, so the audit rules of the kernel are unknown')
  }
  const ask = async (option: string): Promise<Reading<string>> => {
    const environment = { PATH: searchPath, LC_ALL: 'C' }
    const argv = [auditctl, option] as const
    const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: LARGEST_LISTING, signal }
    return answerOf(option, await runCommand({ argv, workingDirectory: '/', environment, ...limits }))
  }
  const rules = await ask('-l')
  if (rules.kind === 'unknown') return rules
  const status = await ask('-s')
  return status.kind === 'unknown' ? status : known({ rules: rules.value, status: status.value })
}

/** If the kernel refuses, auditctl may exit with 0 and print the reason to stdout or stderr. */
function answerOf(option: string, outcome: CommandOutcome): Reading<string> {
  const query = `auditctl ${option}`
  if (outcome.kind === 'not-started') return unknown('not-observable', `${query}: ${outcome.message}`)
  if (outcome.kind === 'killed') {
    return unknown(outcome.cause === 'timeout' ? 'timeout' : 'not-observable', `${query}: ${outcome.reason}`)
  }
  const { exitCode, stdout, stderr } = outcome
  const isAnswer = option === '-s' ? /^enabled [012]$/m.test(stdout) : /^(?:No rules$|-)/m.test(stdout)
  return exitCode === 0 && isAnswer ? known(stdout) : noAnswer(query, stderr.trim() || stdout.trim())
}

function noAnswer(query: string, said: string): Unknown {
  const isRefused = /must be root|not permitted|permission/i.test(said)
  return unknown(isRefused ? 'permission-denied' : 'not-observable', `${query}: ${said || 'no output'}`)
}

export function loadedOf({ rules, status }: KernelAnswer, resolve: (rule: AuditRule) => Resolved): LoadedAudit {
  const lines = rules.split('\n').filter((line) => line !== 'No rules')
  // `-i` keeps the second of two equal rules from ending the load.
  const { entries } = loadLines([{ text: '-i' }, ...lines.map((text) => ({ text }))], resolve)
  const settings = new Map<SettingName, PlacedSetting>()
  for (const [name, word] of Object.entries(SETTINGS)) {
    const value = word === undefined ? undefined : new RegExp(`^${word} (\\d+)\\b`, 'm').exec(status)?.[1]
    if (value !== undefined) settings.set(name as SettingName, { value: Number(value) })
  }
  return { layer: { entries, settings }, enabled: settings.get('-e')?.value ?? 0 }
}
