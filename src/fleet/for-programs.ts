import { defined } from '../model/defined.ts'
import type { Exit } from '../model/gate.ts'
import { toSafeJson } from '../model/safe-json.ts'
import { activeOf, ANSWERS, type FleetHost } from './census.ts'
import type { FleetControl } from './controls.ts'
import type { FleetFinding } from './findings.ts'
import type { SenderInfo } from './messages/sender.ts'
import type { FleetView } from './fleet.ts'
import type { StoredEntry } from './nats/audit.ts'
import { PRESENCES } from './presence.ts'
import type { Machine } from './source.ts'
import type { UnsentHost } from './unsent.ts'

/** Common head of all documents: counts from the same hosts as every list. */
export function fleetForPrograms({ name, hosts, hasRoster, unusable, nowMs }: FleetView, exit: Exit): object {
  const active = activeOf(hosts)
  return {
    schema: 'driftgate.fleet/v1',
    from: name,
    at: timeOf(nowMs),
    hasRoster,
    unusable: unusable.length,
    counts: {
      hosts: active.length,
      ...Object.fromEntries(ANSWERS.map((each) => [each, active.filter(({ answer }) => answer === each).length])),
      presence: Object.fromEntries(
        PRESENCES.map((each) => [each, hosts.filter(({ presence }) => presence === each).length]),
      ),
    },
    exit,
  }
}

/** An activity log entry, or the reason for rejecting it. */
export function entryForPrograms({ storedAtMs, said }: StoredEntry): object {
  const proved = 'message' in said ? { refused: said.message } : { entry: said.entry, key: said.key }
  return { storedAt: timeOf(storedAtMs), ...proved }
}

/** A host with its unmet requirements. */
export function hostForPrograms(host: FleetHost): object {
  const {
    name,
    labels,
    isListed,
    presence,
    answer,
    trouble,
    machines,
    intervalMs,
    heardAtMs,
    sender,
    policies,
    drifts,
    findings,
  } = host
  return {
    name,
    labels,
    isListed,
    presence,
    answer,
    ...defined({ trouble, heardAt: heardAtMs === undefined ? undefined : timeOf(heardAtMs) }),
    ...defined({ machines: machines?.map(machineForPrograms) }),
    ...defined({ sender: sender && senderForPrograms(sender) }),
    intervalMs,
    policies: policies.map(({ id, sha256, evaluatedAtMs }) => ({ id, sha256, evaluatedAt: timeOf(evaluatedAtMs) })),
    drifts,
    findings: findings.map(findingForPrograms),
  }
}

function machineForPrograms({ heardAtMs, ...machine }: Machine): object {
  return { ...machine, heardAt: timeOf(heardAtMs) }
}

/** A host with runs that the server does not have. */
export function unsentForPrograms({ name, sender: { lost, spool, saidAtMs } }: UnsentHost): object {
  return { name, lost, spool, saidAt: timeOf(saidAtMs) }
}

function senderForPrograms({ saidAtMs, nextDue, ...note }: SenderInfo): object {
  const due = nextDue === undefined ? undefined : timeOf(Date.parse(nextDue))
  return { ...note, ...defined({ nextDue: due }), saidAt: timeOf(saidAtMs) }
}

function findingForPrograms({ sinceMs, ...finding }: FleetFinding): object {
  return { ...finding, since: timeOf(sinceMs) }
}

/** A control with the hosts on which it is not met. */
export function controlForPrograms({ openSinceMs, ...control }: FleetControl): object {
  return { ...control, ...(openSinceMs === undefined ? {} : { openSince: timeOf(openSinceMs) }) }
}

/** One JSON line per finding with its host; one line for a host without findings. */
export function exportLines({ hosts }: Pick<FleetView, 'hosts'>): string {
  const lines = hosts.flatMap(({ name: host, presence, answer, labels, findings }) => {
    const about = { host, presence, answer, labels }
    return findings.length === 0 ? [about] : findings.map((finding) => ({ ...about, ...findingForPrograms(finding) }))
  })
  return lines.map((line) => `${toSafeJson(line)}\n`).join('')
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
