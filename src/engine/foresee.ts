import { defined } from '../model/defined.ts'
import type { Declaration } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import type { Verdict } from '../model/verdict.ts'
import type { ExportStore } from './exported.ts'
import { type Foresight, isPending, isPlanned, type Foreseen, prospectOf } from './plan/foresight.ts'
import { createPendingPaths } from './pending-paths.ts'
import { type PolicyProgress, runResource } from './resource-run.ts'
import type { Identity } from './result.ts'

export interface Audited {
  readonly declaration: Declaration
  readonly identity: Identity
  readonly result: ResourceResult
}

/** Predicts the state of a resource after the plan of this audit was applied. Does not affect its verdict. */
export async function predictState(audited: Audited, foresight: Foresight, progress: PolicyProgress): Promise<void> {
  const { declaration, identity, result } = audited
  const { context, situation, policy } = progress
  const { require, subscribe, reads = [] } = declaration
  const pendingReads = reads.filter(({ resource }) => isPending(foresight, resource))
  const areForeseen = pendingReads.every(
    ({ resource, field }) => isCertain(foresight, resource) && field in foresight.valuesOf(resource),
  )
  const related = [...require, ...subscribe, ...foresight.nearOf(declaration.id)]
  const unforeseen = areForeseen ? [] : pendingReads.map(({ resource }) => resource)
  const isRead = pendingReads.length > 0 && areForeseen
  const prospect = prospectOf({
    now: result,
    ...(isRead && { then: await evaluatedThen(audited, foresight, progress) }),
    hangsOn: [...new Set([...related.filter((id) => isPending(foresight, id)), ...unforeseen])],
    keptBy:
      (policy.failOnError ? foresight.firstTrouble() : undefined) ??
      require.find((id) => foresight.prospects.get(id)?.isTrouble === true),
    isLeft:
      foresight.isLeft(declaration.id) ||
      situation.noopBy !== undefined ||
      context.waivers?.holds(result) !== undefined,
  })
  foresight.keep(declaration.id, prospect)
  if (!isWorthTelling(prospect, result)) return
  const { verdict, message, hangsOn } = prospect
  const { id, path } = identity
  context.onExpectation?.({
    policy: situation.root,
    ...defined({ path }),
    id,
    ...defined({ verdict, message: verdict === 'compliant' ? undefined : message }),
    ...defined({ hangsOn: hangsOn?.map(context.redactor.text) }),
  })
}

function isWorthTelling({ hangsOn, verdict }: Foreseen, now: ResourceResult): boolean {
  return isPlanned(now) || hangsOn !== undefined || verdict !== now.verdict
}

function isCertain({ prospects }: Foresight, id: string): boolean {
  const prospect = prospects.get(id)
  return prospect?.hangsOn === undefined && prospect?.verdict === 'compliant'
}

/** Result of a resource evaluated with the predicted values of its inputs. */
async function evaluatedThen(
  { declaration, identity }: Audited,
  foresight: Foresight,
  progress: PolicyProgress,
): Promise<ResourceResult> {
  const { context, situation } = progress
  const verdicts = new Map<string, Verdict>(progress.verdicts)
  for (const [id, { verdict }] of foresight.prospects) if (verdict !== undefined) verdicts.set(id, verdict)
  const { foresight: _foresight, ...known } = progress
  const result = await runResource(declaration, identity, {
    ...known,
    context: { ...context, review: undefined },
    situation: { ...situation, pending: createPendingPaths() },
    verdicts,
    changed: new Set(),
    exported: foreseenExports(progress.exported, foresight),
    secret: new Set(progress.secret),
  })
  return context.conclude(situation.root, result)
}

/** Predicted exports of earlier resources. Examinations with predicted values are not stored. */
function foreseenExports(store: ExportStore, foresight: Foresight): ExportStore {
  return {
    ...store,
    of(id) {
      if (!isPending(foresight, id)) return store.of(id)
      return { kind: 'known', values: foresight.valuesOf(id), because: 'cannot be predicted' }
    },
    keepLook: () => undefined,
    keepVerdict: () => undefined,
  }
}
