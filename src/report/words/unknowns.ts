import type { ErrorReason } from '../../model/observation.ts'
import type { ResourceResult } from '../../model/run.ts'
import { scanCommandOf } from './fix-command.ts'
import type { Requirement } from './requirements.ts'

/** Requirements that are unknown or blocked for the same reason. Its texts are not escaped. */
export interface UnknownCause {
  readonly requirements: readonly Requirement[]
  /** The reason, as programs report it. */
  readonly cause: string
  /** How to find out, in one sentence. */
  readonly advice: string
  /** The command of the advice, if there is one. */
  readonly command?: string
}

const ADVICE: Readonly<Record<ErrorReason | 'blocked', string>> = {
  'permission-denied': 'Run the scan as root.',
  timeout: 'Scan again when the host is less busy.',
  'not-observable': 'Provide what is missing; driftgate doctor lists the limits of a host.',
  'no-provider': 'See which providers this host has: driftgate doctor',
  template: 'Correct the template or its data: driftgate explain',
  invalid: 'Correct the named file or value.',
  'readers-disagree': 'Compare both values with --details.',
  command: 'Run the command by hand.',
  internal: 'Report this as a bug of driftgate.',
  unreachable: 'Check the connection.',
  blocked: 'Resolve the results that block these.',
}

/** Groups the undecided requirements by cause, the largest group first. */
export function unknownCauses(requirements: readonly Requirement[]): readonly UnknownCause[] {
  const undecided = requirements.filter(({ standing }) => standing === 'undecided')
  const groups = new Map<string, { reason: ErrorReason | 'blocked'; cause: string; requirements: Requirement[] }>()
  const details = new Set(undecided.map((requirement) => causeOf(requirement).cause))
  for (const requirement of undecided) {
    const { reason, cause: detail } = causeOf(requirement)
    const cause = withoutSubject(detail, details)
    const key = `${reason} ${cause}`
    const group = groups.get(key) ?? { reason, cause, requirements: [] }
    group.requirements.push(requirement)
    groups.set(key, group)
  }
  return [...groups.values()]
    .toSorted((left, right) => right.requirements.length - left.requirements.length)
    .map(({ reason, cause, requirements: own }) => {
      const command = reason === 'permission-denied' ? rootCommandOf(own) : undefined
      return { requirements: own, cause, advice: adviceFor(reason, own), ...(command === undefined ? {} : { command }) }
    })
}

/** Files of a system that does not run lack what only a running one has. */
function adviceFor(reason: keyof typeof ADVICE, requirements: readonly Requirement[]): string {
  const isOffline = requirements.every(({ origin: { target } }) => target.kind === 'root' || target.kind === 'image')
  return reason === 'not-observable' && isOffline ? 'Scan the running system.' : ADVICE[reason]
}

/** The position of an expression in a policy, which differs where the cause is the same. */
const POSITION = /\S+:\d+:\d+ /g

interface Cause {
  readonly reason: ErrorReason | 'blocked'
  readonly cause: string
}

/** Permission takes precedence, because root may not meet the other obstacles; details of permissions name many files. */
function causeOf({ results }: Requirement): Cause {
  const failing = results.filter(({ verdict }) => verdict === 'error' || verdict === 'blocked')
  if (failing.some(isDenied)) return { reason: 'permission-denied', cause: 'permission denied' }
  const [first] = failing
  if (first === undefined) return { reason: 'not-observable', cause: 'not evaluated' }
  const [unknown] = first.unknown ?? []
  if (first.verdict === 'blocked') return { reason: 'blocked', cause: first.message ?? 'blocked' }
  return {
    reason: unknown?.reason ?? first.reason ?? 'not-observable',
    cause: (unknown?.detail ?? first.errors?.[0] ?? first.message ?? first.verdict).replaceAll(POSITION, ''),
  }
}

function isDenied({ unknown = [], reason }: ResourceResult): boolean {
  return reason === 'permission-denied' || unknown.some((property) => property.reason === 'permission-denied')
}

/** `chrony: systemd does not run` has the same cause as `systemd does not run`. */
function withoutSubject(detail: string, details: ReadonlySet<string>): string {
  const [, rest = detail] = /^[^\s:]+: (.+)$/s.exec(detail) ?? []
  return details.has(rest) ? rest : detail
}

/** The scan as root; undefined if it was of another target, or would need options that a report does not have. */
function rootCommandOf(requirements: readonly Requirement[]): string | undefined {
  if (requirements.some(({ origin }) => origin.target.kind !== 'local')) return undefined
  const commands = new Set(requirements.map(({ policy }) => scanCommandOf(policy)))
  const [command] = commands
  return commands.size === 1 && command !== undefined ? `sudo ${command}` : undefined
}
