import {
  controlForPrograms,
  entryForPrograms,
  fleetForPrograms,
  hostForPrograms,
  unsentForPrograms,
} from '../for-programs.ts'
import { unsentIn } from '../unsent.ts'
import { rolloutForPrograms } from '../rollout/for-programs.ts'
import type { FleetHost } from '../census.ts'
import type { FleetControl } from '../controls.ts'
import type { RunMark } from '../traces.ts'
import { type PageRequest, isRefusal, type Refusal } from './answer.ts'
import { auditOf } from './pages/audit.ts'
import { controlAskedFor, controlsAskedFor } from './pages/controls.ts'
import { hostAskedFor } from './pages/host.ts'
import { hostsAskedFor } from './pages/hosts.ts'
import { missingIn } from './pages/silence.ts'
import { trendAskedFor } from './pages/trends.ts'
import { addressOf, type Part, partOf, strangerIn } from './query.ts'

/** Creates the JSON document of a page: the same lists from the same hosts. */
export type MakeDocument = (asked: PageRequest) => object | Refusal

/** Documents by path. */
export const DOCUMENTS: Readonly<Record<string, MakeDocument>> = {
  '/api/fleet': (asked) => strangerIn(asked.params, []) ?? fleetHead(asked),
  '/api/hosts': (asked) => toDocument(asked, hostsAskedFor(asked.view.hosts, asked.params), hostsMember),
  '/api/silence': (asked) =>
    strangerIn(asked.params, []) ??
    toDocument(asked, missingIn(asked.view.hosts), (hosts) => ({
      ...hostsMember(hosts),
      unsent: unsentIn(asked.view.hosts).map(unsentForPrograms),
      places: asked.view.unusable.map(({ place, reason, hosts: concerned }) => ({ place, reason, hosts: concerned })),
    })),
  '/api/controls': (asked) => toDocument(asked, controlsAskedFor(asked.view.controls(), asked.params), controlsMember),
  '/api/control': (asked) => {
    const control = controlAskedFor(asked.view.controls(), asked.params)
    return isRefusal(control) ? control : { ...fleetHead(asked), ...controlsMember([control]) }
  },
  '/api/host': (asked) => {
    const host = hostAskedFor(asked.view.hosts, asked.params)
    if (isRefusal(host)) return host
    return { ...fleetHead(asked), ...hostsMember([host]), runs: host.runs.map(runForPrograms) }
  },
  '/api/trends': (asked) => {
    const { trends, nowMs } = asked.view
    if (asked.params.size === 0)
      return {
        ...fleetHead(asked),
        trends: trends.policies().map((policy) => ({ policy, trend: trends.ofPolicy(policy, nowMs) })),
      }
    const trend = trendAskedFor(asked.view, asked.params)
    return isRefusal(trend) ? trend : { ...fleetHead(asked), trend }
  },
  '/api/rollout': (asked) => {
    const { rollout } = asked.view
    return (
      strangerIn(asked.params, []) ?? { ...fleetHead(asked), ...(rollout && { rollout: rolloutForPrograms(rollout) }) }
    )
  },
  '/api/audit': (asked) => {
    const audit = auditOf(asked.view, asked.params)
    if (isRefusal(audit)) return audit
    return toDocument(asked, audit.changes, (changes) => ({
      ...(audit.acts && { acts: audit.acts.map(entryForPrograms) }),
      texts: audit.texts.map(({ firstMs, lastMs, ...text }) => ({
        ...text,
        first: timeOf(firstMs),
        last: timeOf(lastMs),
      })),
      changes: changes.map(({ sinceMs, ...change }) => ({ ...change, since: timeOf(sinceMs) })),
    }))
  },
}

/** Index of the documents, at `/api/v1`. */
export const API_INDEX: object = {
  version: 'v1',
  describedBy: 'urn:driftgate:schema:fleet:v1',
  documents: Object.keys(DOCUMENTS).map((path) => path.replace('/api/', '/api/v1/')),
}

function fleetHead({ view }: PageRequest): object {
  return { ...fleetForPrograms(view, view.exit), readAt: timeOf(view.readAtMs), troubles: view.troubles }
}

function toDocument<Member>(
  asked: PageRequest,
  found: readonly Member[] | Refusal,
  members: (shown: readonly Member[]) => object,
): object | Refusal {
  if (isRefusal(found)) return found
  const part = partOf(found, asked.params)
  return isRefusal(part) ? part : { ...fleetHead(asked), page: pageOf(part, asked), ...members(part.members) }
}

function pageOf({ page, pages, total }: Part<unknown>, { path, params }: PageRequest): object {
  const next = new URLSearchParams(params)
  next.set('page', String(page + 1))
  return { number: page, pages, total, ...(page < pages && { next: addressOf(path, next) }) }
}

function hostsMember(hosts: readonly FleetHost[]): object {
  return { hosts: hosts.map(hostForPrograms) }
}

function controlsMember(controls: readonly FleetControl[]): object {
  return { controls: controls.map(controlForPrograms) }
}

function runForPrograms({ runId: id, atMs, ...run }: RunMark): object {
  return { id, at: timeOf(atMs), ...run }
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
