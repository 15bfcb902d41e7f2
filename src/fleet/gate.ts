import { countOf } from '../model/count-of.ts'
import { EXIT, type Exit } from '../model/gate.ts'
import { isAtLeast, SEVERITIES, type Severity } from '../model/verdict.ts'
import { activeOf, type FleetHost } from './census.ts'
import { isUnheard, PRESENCES } from './presence.ts'

/** Further inputs of the gate. */
export interface FleetGate {
  readonly failOn: Severity
  /** Number of unusable report files: they may hold newer states. */
  readonly unusable: number
  /** True if the last read of the reports failed. */
  readonly isUnread?: boolean
}

/**
 * Exit code of the fleet: drift at or above the severity, then unknown hosts, then no hosts. Retired hosts are ignored.
 */
export function gateOf(all: readonly FleetHost[], { failOn, unusable, isUnread = false }: FleetGate): Exit {
  const hosts = activeOf(all)
  const drifted = hosts.filter(({ answer }) => answer === 'drifted')
  const gating = drifted.filter((host) => SEVERITIES.some((each) => isAtLeast(each, failOn) && host.drifts[each] > 0))
  const heard = hosts.filter(({ presence }) => !isUnheard(presence))
  const undecided = heard.filter(({ answer }) => answer === 'undecided')
  const openToo = heard.filter(({ findings }) => findings.some(({ standing }) => standing === 'undecided'))
  const troubles: readonly (readonly [number, string] | false)[] = [
    gating.length > 0 && [EXIT.drift, `${verb(gating.length, 'drifts', 'drift')} at or above severity ${failOn}`],
    ...PRESENCES.filter(isUnheard).map((presence) => {
      const { length } = hosts.filter((host) => host.presence === presence)
      return length > 0 && ([EXIT.undecided, verb(length, `is ${WORDS[presence]}`, `are ${WORDS[presence]}`)] as const)
    }),
    undecided.length > 0 && [EXIT.undecided, `${verb(undecided.length, 'is', 'are')} undecided`],
    openToo.length > 0 && [EXIT.undecided, `unknown results on ${countOf(openToo.length, 'host')}`],
    unusable > 0 && [EXIT.undecided, `${countOf(unusable, 'file')} cannot be used`],
    isUnread && [EXIT.undecided, 'the reports can no longer be read'],
    hosts.length === 0 && [EXIT.nothingEvaluated, 'no host reported, and the roster is empty'],
    drifted.length > gating.length && [
      EXIT.ok,
      `${verb(drifted.length - gating.length, 'drifts', 'drift')} below severity ${failOn}`,
    ],
  ]
  const found = troubles.filter((trouble) => trouble !== false)
  return { code: found[0]?.[0] ?? EXIT.ok, reasons: found.map(([, reason]) => reason) }
}

function verb(count: number, one: string, more: string): string {
  return `${countOf(count, 'host')} ${count === 1 ? one : more}`
}

/** Freshness as part of a sentence. */
const WORDS: Readonly<Record<string, string>> = {
  forged: 'forged',
  never: 'expected and never reported',
  silent: 'silent',
  outdated: 'outdated',
}
