import { readFileSync } from 'node:fs'
import { defined } from '../../model/defined.ts'
import { countOf } from '../../model/count-of.ts'
import { EXIT, type Exit } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { toSafeJson } from '../../model/safe-json.ts'
import type { Expectation, PlanInput } from '../../model/saved-plan.ts'
import { refusedPlan } from '../../engine/plan/admit.ts'
import { draftPlan } from '../../engine/plan/draft.ts'
import { createFingerprint, type Fingerprint } from '../../engine/plan/fingerprint.ts'
import { guardPlan } from '../../engine/plan/guard.ts'
import { beyondPlan, findSurprises } from '../../engine/plan/outcome.ts'
import type { Reviewer } from '../../engine/review.ts'
import { readPlan } from '../../report/stored/read-plan.ts'
import { openOutputFile } from '../../host/live/output-file.ts'
import type { Target } from '../../host/target.ts'
import type { Clock } from '../clock.ts'
import { durationOf } from '../options/duration.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { Io } from '../output/io.ts'

/** Plan of a scan: saved or applied. */
export interface PlanOfScan {
  readonly review: Reviewer
  /** Absent if the scan saves no plan. */
  readonly onExpectation?: (expectation: Expectation) => void
  /** Call with the run and a function that audits again; returns the run with the plan's findings. */
  readonly finish: (run: Run, auditAgain: () => Promise<Run>) => Promise<Run>
  /** Removes temporary files; no effect after `finish`. */
  readonly discard: () => void
}

const MAX_AGE = '24h'

/** Plan that a scan saves or applies; undefined without one. Throws an `OperatorError` if that is impossible. */
export async function planOfScan(options: ScanFlags, target: Target, io: Io): Promise<PlanOfScan | undefined> {
  const { plan, 'save-plan': savePlan } = options
  if (plan === undefined && savePlan === undefined) return undefined
  const { identity } = target.system
  if (identity === undefined) throw new OperatorError(NO_IDENTITY)
  if (savePlan !== undefined) return savedPlan(savePlan, identity, { options, io })
  return plan === undefined ? undefined : carriedOut(plan, identity, options, io.clock)
}

const NO_IDENTITY =
  'a plan is bound to its host by /etc/machine-id, which is missing: create it with systemd-machine-id-setup'

function savedPlan(
  path: string,
  identity: string,
  { options, io }: { readonly options: ScanFlags; readonly io: Io },
): PlanOfScan {
  const file = openOutputFile(path, { what: 'plan', mode: 0o600 })
  const draft = draftPlan(identity)
  return {
    review: draft.review,
    onExpectation: draft.expect,
    async finish(run) {
      if (run.exit.code === EXIT.notPerformed) return run
      if (run.run.interrupted) {
        io.say(`driftgate: ${path} is not written: the audit was interrupted, so the plan is incomplete\n`)
        return run
      }
      await file.commit(`${toSafeJson(draft.finish(run, inputsOfPlan(options, draft.fingerprint)), 2)}\n`)
      if (!options.quiet) io.say(`driftgate: wrote ${path}\n`)
      return run
    },
    discard: file.discard,
  }
}

async function carriedOut(path: string, identity: string, options: ScanFlags, clock: Clock): Promise<PlanOfScan> {
  const plan = await readPlan(path)
  const fingerprint = createFingerprint(identity, plan.salt)
  const maxAge = options['plan-max-age'] ?? MAX_AGE
  const refusal = refusedPlan(plan, { fingerprint, now: clock.now(), maxAge, maxAgeMs: durationOf(maxAge, MAX_AGE) })
  if (refusal !== undefined) throw new OperatorError(`cannot apply the plan ${path}: ${refusal}`)
  const inputs = inputsOfPlan(options, fingerprint)
  return {
    review: guardPlan(plan, { fingerprint, inputs }),
    async finish(made, auditAgain) {
      const run = plan.order === undefined ? made : { ...made, run: { ...made.run, order: plan.order } }
      // Only a completed fix is compared with the plan.
      const isWhole = run.run.mode === 'fix' && !run.run.interrupted && run.exit.code !== EXIT.notPerformed
      const surprises = isWhole ? findSurprises(plan, run, await auditAgain()) : []
      const warnings = [...beyondPlan(plan, run, inputs), ...surprises.map(({ problem }) => problem)]
      const undone = surprises.filter(({ isUndone }) => isUndone).length
      if (warnings.length === 0) return run
      return { ...run, exit: exitWith(undone, run.exit), problems: [...(run.problems ?? []), ...warnings] }
    },
    discard: () => undefined,
  }
}

/** A resource that was compliant after its own fix, but not at the end, counts as a failed fix. */
function exitWith(undone: number, { code, reasons }: Exit): Exit {
  if (undone === 0) return { code, reasons }
  const reason = `${countOf(undone, 'resource')} drifted again before the fix ended`
  return { code: EXIT.fixFailed, reasons: [reason, ...reasons] }
}

const FILES = ['data', 'facts', 'vars'] as const
const TEXTS = ['set', 'fact'] as const

/** Inputs of the policies on the command line. For URLs, only the address counts. */
function inputsOfPlan(options: ScanFlags, fingerprint: Fingerprint): readonly PlanInput[] {
  const { 'env-file': envFile, 'vars-inline': varsInline } = options
  const ofFile = (option: string, path: string): PlanInput => ({
    option,
    path,
    fingerprint: fingerprint(bytesOf(path)),
  })
  const ofText = (option: string, text: string): PlanInput => ({ option, fingerprint: fingerprint(text) })
  return [
    ...FILES.flatMap((option) => options[option].map((path) => ofFile(option, path))),
    ...Object.entries(defined({ 'env-file': envFile })).map(([option, path]) => ofFile(option, path)),
    ...TEXTS.flatMap((option) => options[option].map((text) => ofText(option, text))),
    ...Object.entries(defined({ 'vars-inline': varsInline })).map(([option, text]) => ofText(option, text)),
  ]
}

/** The reader of the inputs reports file errors. */
function bytesOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return path
  }
}
