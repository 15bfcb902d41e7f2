import { setTimeout } from 'node:timers/promises'
import { type Observation, present, unknown } from '../../model/observation.ts'
import { type AttributeResult, judgeResource, wantedOf } from './files/judge.ts'
import { measureGoss } from './files/measure/index.ts'
import { durationOf, type GossResource, readGoss } from './files/read.ts'
import type { GossContent, GossType, Measured } from './files/resource.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { Target } from '../../host/target.ts'
import { COMMANDS_FORBIDDEN } from '../shared/policy-command.ts'
import type { Examined, Findings } from './decide.ts'

/** The parts of the scan context that affect a Goss resource. */
export type GossContext = Pick<ResourceContext, 'signal' | 'commandsForbidden' | 'cleanEnvironment' | 'contentsHidden'>

/** Measures and judges every resource that is not skipped. */
export async function observeGoss(
  target: Target,
  rules: GossContent,
  context: GossContext,
): Promise<Observation<undefined, Findings>> {
  const examined: Examined[] = []
  for (const resource of readGoss(rules).resources) {
    if (!resource.isSkipped) examined.push({ resource, results: await examineGoss(resource, target, context) })
  }
  return present(undefined, { examined, contentsHidden: context.contentsHidden === true })
}

const DEFAULT_RETRY_DELAY_MS = 1000

/** Measures and judges one resource, with its retries. */
async function examineGoss(
  resource: GossResource,
  target: Target,
  context: GossContext,
): Promise<readonly AttributeResult[]> {
  const { retry_count: retries, retry_delay: delay } = resource.given
  let left = typeof retries === 'number' ? retries : 0
  for (;;) {
    const results = judgeResource(resource, await measure(resource, target, context))
    const isRight = results.every(({ kind }) => kind === 'pass' || kind === 'skipped')
    if (isRight || left === 0 || context.signal.aborted) return results
    left--
    await pause(durationOf(delay) ?? DEFAULT_RETRY_DELAY_MS, context.signal)
    // Drops cached bulk reads.
    target.forget()
  }
}

async function measure(
  resource: GossResource,
  target: Target,
  context: GossContext,
): Promise<ReadonlyMap<string, Measured>> {
  const { type, id, given } = resource
  const wanted = wantedOf(resource)
  const refusal = refusalOf(type, context)
  const { signal, cleanEnvironment = false } = context
  if (refusal === undefined) return measureGoss({ type, id, given, cleanEnvironment }, wanted, target, signal)
  const refused = unknown('not-observable', refusal)
  return new Map(wanted.map((attribute) => [attribute, refused]))
}

const SENDING: ReadonlySet<GossType> = new Set<GossType>(['addr', 'dns', 'http'])

/** Why a resource of a type must not be measured, if so. */
function refusalOf(type: GossType, { commandsForbidden, contentsHidden }: GossContext): string | undefined {
  if (type === 'command' && commandsForbidden === true) return COMMANDS_FORBIDDEN
  if (SENDING.has(type) && contentsHidden === true) return 'untrusted policies cannot send requests (--untrusted)'
  return undefined
}

/** Returns early if the run is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
