import { FIRST_LOOK } from '../model/decision.ts'
import type { ResourceResult } from '../model/run.ts'
import { ORDER_CONDITIONS } from '../model/value-orders.ts'
import type { Verdict } from '../model/verdict.ts'
import { decodeProperties } from '../resource-type/decode.ts'
import type { Examination } from '../resource-type/define.ts'
import { checkCapture } from './capture-rule.ts'
import { withAnswers, countCalls, hideAnswers, NOTHING } from './machines.ts'
import { withProperNames } from './run-resource.ts'
import type { Stage } from './scene.ts'

/** A rule for every scene of a type; resolves to the violations, each as a sentence. */
export type SceneRule = (stage: Stage) => Promise<readonly string[]>

/** The rules for every scene, by name. */
export const SCENE_RULES: Readonly<Record<string, SceneRule>> = {
  'its state is as the fixture says': checkState,
  'drift names are declared': checkNames,
  'unknown is never absent': checkUnknown,
  'an acceptance of a value decides as the value does': checkAcceptances,
  'an audit writes nothing': checkAudit,
  'a root is looked at through the target': checkRoot,
  'a fix is idempotent': checkFix,
  'what cannot be fixed is not tried': checkRefusal,
  'exported values are declared': checkExports,
  'foreseen values come true': checkForeseen,
  'what is captured is there': checkCapture,
}

/** The expected verdict of an audit, by state of the scene. */
const VERDICTS = {
  compliant: 'compliant',
  fixable: 'drifted',
  unfixable: 'drifted',
  'not-applicable': 'not-applicable',
} as const

async function checkState({ audit, scene }: Stage): Promise<readonly string[]> {
  const result = await audit()
  const expected = VERDICTS[scene.state]
  if (result.verdict !== expected) return [`the verdict of an audit must be ${expected}, but is ${inWords(result)}`]
  if (expected !== 'drifted') return []
  const isRefused = result.change === 'cannot'
  if (isRefused === (scene.state === 'unfixable')) return []
  return [`the scene is ${scene.state}, but a fix ${result.change ?? ''} change it: ${inWords(result)}`]
}

async function checkNames({ audit, type }: Stage): Promise<readonly string[]> {
  const { reason, message = '', drift, unknown = [] } = await audit()
  const names = [...drift, ...unknown].map(({ property }) => property)
  return [
    ...(reason === 'internal' ? [message] : []),
    ...names.filter((name) => !type.drifts.includes(name)).map((name) => `"${name}" is not declared under drifts`),
  ]
}

/** Verdicts that are false if a machine answers fewer questions. */
const MISTAKEN: Readonly<Record<Stage['scene']['state'], readonly Verdict[]>> = {
  compliant: ['drifted', 'not-applicable'],
  fixable: ['compliant', 'not-applicable'],
  unfixable: ['compliant', 'not-applicable'],
  'not-applicable': ['compliant', 'drifted'],
}

// Each question is hidden on its own; only the first ones are tested.
const MOST_QUESTIONS = 100

/** Rule: an unreadable state is an error, never compliant and never an empty machine. */
async function checkUnknown({ audit, target, scene }: Stage): Promise<readonly string[]> {
  const blind = hideAnswers(() => true)
  const result = await audit(withAnswers(target(), blind))
  if (blind.asked() === 0) return []
  const problems: string[] = []
  if (result.verdict === 'compliant' || result.verdict === 'not-applicable') {
    problems.push(`the verdict is ${result.verdict} although nothing could be read`)
  }
  if (result.verdict === 'drifted') {
    const empty = await audit(withAnswers(target(), NOTHING))
    if (JSON.stringify(empty.drift) === JSON.stringify(result.drift)) {
      problems.push('unreadable state has the same drift as absent state')
    }
  }
  const open = hideAnswers(() => false)
  await audit(withAnswers(target(), open))
  for (let hidden = 0; hidden < Math.min(open.asked(), MOST_QUESTIONS); hidden++) {
    const { verdict } = await audit(
      withAnswers(
        target(),
        hideAnswers((question) => question === hidden),
      ),
    )
    if (MISTAKEN[scene.state].includes(verdict))
      problems.push(`the verdict is ${verdict} with only question ${hidden + 1} unanswered`)
  }
  return problems
}

/** Rule: an acceptance is evaluated, neither compared as an object nor ignored. */
async function checkAcceptances({ audit, auditWith, scene, type, properties }: Stage): Promise<readonly string[]> {
  if (scene.state !== 'compliant') return []
  const before = formatOutcome(await audit())
  const problems: string[] = []
  for (const [name, spec] of Object.entries(type.properties)) {
    const value = properties[name]
    const conditions: readonly string[] = 'accepts' in spec ? ORDER_CONDITIONS[spec.accepts] : []
    const other = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : undefined
    if (other === undefined || !conditions.includes('is') || !conditions.includes('none_of')) continue
    // This scene does not compare the property.
    const { verdict } = await auditWith({ [name]: other })
    if (verdict !== 'drifted') continue
    const named = await auditWith({ [name]: { is: value } })
    if (formatOutcome(named) !== before)
      problems.push(`"${name}" has the accepted value ${JSON.stringify(value)}, but the verdict is ${inWords(named)}`)
    const left = await auditWith({ [name]: { none_of: [value] } })
    if (left.verdict === 'compliant')
      problems.push(`"${name}" has the excluded value ${JSON.stringify(value)}, but the verdict is compliant`)
  }
  return problems
}

/** Rule: the type reads everything through the target, nothing from this machine. */
async function checkRoot({ audit, belowRoot, scene }: Stage): Promise<readonly string[]> {
  if (scene.target !== undefined) return []
  const [before, { there, here }] = [formatOutcome(await audit()), await belowRoot()]
  const isOfThere = formatOutcome(there) === before || formatOutcome(there) !== formatOutcome(here)
  if (there.verdict === 'error' || isOfThere) return []
  return [
    `below a root with the scene the verdict is ${inWords(there)}, as on this machine, which does not have the scene`,
  ]
}

function formatOutcome({ verdict, drift }: ResourceResult): string {
  return JSON.stringify([verdict, drift])
}

async function checkAudit({ audit, changesOf, target }: Stage): Promise<readonly string[]> {
  const changed = await changesOf(async () => {
    await audit()
    await audit(withAnswers(target(), NOTHING))
  })
  return changed.map((path) => `an audit changed ${path}`)
}

async function checkFix({ scene, fix, audit, remediator, changesOf }: Stage): Promise<readonly string[]> {
  if (scene.auditOnly === true || scene.state === 'unfixable' || scene.state === 'not-applicable') return []
  if (scene.state === 'fixable') {
    const first = await fix()
    if (first.verdict !== 'fixed') return [`the verdict of a fix must be fixed, but is ${inWords(first)}`]
  }
  const { remediator: hands, calls } = countCalls(remediator())
  const verdicts: ResourceResult[] = []
  const changed = await changesOf(async () => {
    verdicts.push(await fix(hands), await audit())
  })
  return [
    ...verdicts
      .filter(({ verdict }) => verdict !== 'compliant')
      .map((result) => `a compliant resource must stay compliant, but is ${inWords(result)}`),
    ...(calls() === 0 ? [] : ['a fix of a compliant resource requested a change']),
    ...changed.map((path) => `a fix of a compliant resource changed ${path}`),
  ]
}

async function checkRefusal({ scene, fix, remediator, changesOf }: Stage): Promise<readonly string[]> {
  if (scene.state !== 'unfixable') return []
  const { remediator: hands, calls } = countCalls(remediator())
  let result: ResourceResult | undefined
  const changed = await changesOf(async () => {
    result = await fix(hands)
  })
  return [
    ...(result?.verdict === 'fix-failed' ? [] : ['an impossible fix must fail']),
    ...(calls() === 0 ? [] : ['an impossible fix was attempted']),
    ...changed.map((path) => `an impossible fix changed ${path}`),
  ]
}

function checkExports(stage: Stage): Promise<readonly string[]> {
  return orWhyNot(async () => {
    await exportedBy(stage)
    return []
  })
}

/** The violations, or the error that prevented the check. */
async function orWhyNot(check: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await check()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** Rule: predicted exported values equal the observed ones after the fix. */
async function checkForeseen(stage: Stage): Promise<readonly string[]> {
  const { scene, fix } = stage
  if (scene.auditOnly === true || scene.state !== 'fixable') return []
  return orWhyNot(async () => {
    const foreseen = (await lookAt(stage))?.foreseeExports?.() ?? {}
    if (Object.keys(foreseen).length === 0) return []
    await fix()
    const found = (await lookAt(stage))?.readExports?.() ?? {}
    return Object.entries(foreseen).flatMap(([name, value]) => {
      const [wanted, seen] = [JSON.stringify(value), JSON.stringify(found[name])]
      return wanted === seen ? [] : [`"${name}" should be ${wanted} after a fix, but is ${seen}`]
    })
  })
}

/** Names of the exported values of a scene. Throws if the type does not declare one so. */
export async function exportedBy(stage: Stage): Promise<readonly string[]> {
  return Object.keys((await lookAt(stage))?.readExports?.() ?? {})
}

/** The examination of the scene; undefined if there is no decision. */
async function lookAt({ type, properties, audit, target, directory }: Stage): Promise<Decided | undefined> {
  const { provider } = await audit()
  const decoded = decodeProperties(type, withProperNames(type, { name: 'test', ...properties }))
  if (!decoded.ok || provider === undefined) return undefined
  const { signal } = new AbortController()
  const context = { workingDirectory: directory, signal, showDiff: true }
  const seen = await type.prepare(decoded.values, provider, context).examine(target(), FIRST_LOOK)
  return seen.kind === 'decided' ? seen : undefined
}

type Decided = Extract<Examination, { kind: 'decided' }>

function inWords({ verdict, message, changeReason }: ResourceResult): string {
  const reasons = [message, changeReason].filter((text) => text !== undefined)
  return reasons.length === 0 ? verdict : `${verdict} (${reasons.join('; ')})`
}
