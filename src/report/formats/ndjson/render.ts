import { hasBelow } from '../../../model/roll-up.ts'
import type { PolicyResult, ResourceResult, Run, RunStart } from '../../../model/run.ts'
import type { ReportStream } from '../../format.ts'
import { orderOrigin, orderPolicy, orderResource, orderRun, orderTarget } from '../../words/ordered.ts'
import { toSafeJson } from '../../../model/safe-json.ts'

/** Schema of the events, described by `schemas/event.schema.json`. Fields are only ever added. */
const SCHEMA = 'driftgate.event/v1'

/** The events of a finished run: the same lines in the same order as while it ran. */
export function render(run: Run): string {
  const events = stream()
  const resources = run.policies.flatMap((policy) =>
    asEvaluated(policy.resources).map((result) => resourceEvent(policy, result)),
  )
  return [events.start(run), ...resources, events.end(run)].join('')
}

/**
 * Events of a running scan: `start`, a `resource` after each result, at the end a `policy` for each policy with its
 * controls, then `end`. Without an `end`, the events are incomplete.
 */
export function stream(): ReportStream {
  let isStarted = false
  const start = (run: RunStart): string => {
    isStarted = true
    return startEvent(run)
  }
  return {
    start,
    resource: (id, result) => resourceEvent({ id }, result),
    // A scan that could not be performed has no start event yet.
    end: (run) => [isStarted ? '' : start(run), ...run.policies.map(policyEvent), endEvent(run)].join(''),
  }
}

function startEvent({ tool, run, target }: RunStart): string {
  return jsonLine({
    event: 'start',
    schema: SCHEMA,
    tool: { name: tool.name, version: tool.version },
    run: { id: run.id, mode: run.mode, startedAt: run.startedAt },
    target: orderTarget(target),
  })
}

function resourceEvent(
  { id, target, origin }: Pick<PolicyResult, 'id' | 'target' | 'origin'>,
  result: ResourceResult,
): string {
  const place = { policy: id, target, origin: origin && orderOrigin(origin) }
  return jsonLine({ event: 'resource', ...place, ...orderResource(result) })
}

function policyEvent(policy: PolicyResult): string {
  const { resources: _told, ...rest } = orderPolicy({ ...policy, resources: [] })
  return jsonLine({ event: 'policy', ...rest })
}

function endEvent(run: Run): string {
  const { schema: _schema, tool: _tool, target: _target, policies: _told, ...rest } = orderRun({ ...run, policies: [] })
  return jsonLine({ event: 'end', ...rest })
}

/** The results in the order of their completion: an apply resource with its own health checks comes after its children. */
function asEvaluated(results: readonly ResourceResult[]): readonly ResourceResult[] {
  const known: ResourceResult[] = []
  const waiting: ResourceResult[] = []
  for (const [index, result] of results.entries()) {
    for (let above = waiting.at(-1); above !== undefined && !hasBelow(above, result); above = waiting.at(-1)) {
      known.push(above)
      waiting.pop()
    }
    if (!hasBelow(result, results[index + 1])) known.push(result)
    else if (result.health !== undefined) waiting.push(result)
  }
  return [...known, ...waiting.toReversed()]
}

/** A value as JSON on one line, with all line ends escaped. */
function jsonLine(value: unknown): string {
  return `${toSafeJson(value)}\n`
}
