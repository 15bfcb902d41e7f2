import { countOf } from '../../../model/count-of.ts'
import { EXIT } from '../../../model/gate.ts'
import { placeOf, type SavedPlan } from '../../../model/saved-plan.ts'
import { reportFormats } from '../../../report/index.ts'
import { readPlan } from '../../../report/stored/read-plan.ts'
import { reportMode } from '../../options/report-mode.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { planReports } from '../../output/report-requests.ts'
import type { ShowInvocation } from './index.ts'

/** Shows a plan as a report of its audit and returns the exit code. Throws an `OperatorError` if it cannot be read. */
export async function runShow({ operands: [path = ''], options }: ShowInvocation, io: Io): Promise<number> {
  const plan = await readPlan(path)
  const requests = planReports({ report: options.report, out: undefined }, reportFormats)
  const run = { ...plan.audit, notes: [...(plan.audit.notes ?? []), summaryOf(plan, path), ...prospectsOf(plan)] }
  const reports = openReports(requests, reportMode(options))
  return (await deliverReports(reports, run, { ...options, details: true, isTold: false, io }))
    ? EXIT.ok
    : EXIT.notPerformed
}

function summaryOf({ changes, audit: { target, run, policies } }: SavedPlan, path: string): string {
  const planned = new Set(changes.map((change) => placeOf(change.policy, change)))
  const results = policies.flatMap(({ id, resources }) =>
    resources.filter((result) => planned.has(placeOf(id, result))),
  )
  const risky = results.filter(({ risk }) => risk !== undefined).length
  const forGood = results.filter(({ irreversible }) => irreversible !== undefined).length
  const assumed = changes.filter((change) => change.assumed !== undefined).length
  const of = [
    ...(assumed === 0 ? [] : [`${assumed} depending on an earlier one`]),
    ...(risky === 0 ? [] : [`${risky} risky`]),
    ...(forGood === 0 ? [] : [`${forGood} irreversible`]),
  ]
  const how = `driftgate scan POLICY --fix --plan ${path}`
  return `plan of ${run.startedAt} for ${target.hostname}, ${[countOf(changes.length, 'change'), ...of].join(', ')}: ${how}`
}

/** Expected states that are not simply compliant. */
function prospectsOf({ expected = [] }: SavedPlan): readonly string[] {
  return expected.flatMap(({ path = [], id, verdict, message, hangsOn = [] }) => {
    if (verdict === 'compliant' && hangsOn.length === 0) return []
    const name = [...path, id].join(' > ')
    const why = message === undefined ? '' : `: ${message}`
    if (verdict === undefined) return [`${name}: the result is known only after the fix`]
    const on = hangsOn.length === 0 ? 'will be' : 'is assumed to be'
    const assumed = hangsOn.length === 0 ? '' : `, depending on ${hangsOn.join(', ')}`
    return [`${name}: ${on} ${verdict} then${assumed}${why}`]
  })
}
