import { EXIT } from '../gate.ts'
import { hostNameOf } from '../host-name.ts'
import type { PolicyResult, Run } from '../run.ts'

/**
 * Splits a merged report by host; a report of one host is returned as it is. A target without results becomes a run
 * that could not be performed. Undefined if the report lacks hosts without naming them.
 */
export function splitByHost(report: Run): readonly Run[] | undefined {
  if (report.target.kind !== 'merged') return [report]
  const { targets = [], problems = [], run } = report
  const isWhole = !run.interrupted && problems.every(({ severity }) => severity !== 'error')
  if (targets.length === 0 && !isWhole) return undefined
  const groups = new Map<string, PolicyResult[]>()
  for (const policy of report.policies) {
    const key = JSON.stringify([hostNameOf(policy.origin?.target ?? report.target), policy.origin?.runId])
    groups.set(key, [...(groups.get(key) ?? []), policy])
  }
  const performed = [...groups.values()].map((policies): Run => {
    const { runId = run.id, startedAt = run.startedAt, target = report.target } = policies[0]?.origin ?? {}
    const { exit = report.exit } = targets.find((each) => each.runId === runId) ?? {}
    return { ...report, policies, target, run: { ...run, id: runId, startedAt }, exit }
  })
  const others = targets.filter(({ runId }) => performed.every((each) => each.run.id !== runId))
  return [
    ...performed,
    ...others.map(({ name, runId, exit }): Run => {
      const target = { ...report.target, name, hostname: name }
      return { ...report, policies: [], target, run: { ...run, id: runId }, exit: { ...exit, code: EXIT.notPerformed } }
    }),
  ]
}
