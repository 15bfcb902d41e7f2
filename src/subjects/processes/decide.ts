import { type Acceptance, isAccepted } from '../../model/acceptance.ts'
import type { Decision } from '../../model/decision.ts'
import { cannot, type Difference, differences, unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import type { Reading, Seen, Unknown } from '../../model/observation.ts'
import { LISTS, NUMBERS } from '../../model/value-orders.ts'
import type { Process } from './processes.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { acceptsIdentity } from './identity.ts'

/** Desired state of the processes of a program; undefined properties are not compared. */
export interface ProcessDesired {
  readonly name: string
  readonly ensure: 'running' | 'absent'
  readonly count?: number | Acceptance<number> | undefined
  readonly user?: string | Acceptance<string> | undefined
  readonly unit?: string | Acceptance<string> | undefined
  readonly command_line?: string | Acceptance<string> | undefined
  readonly arguments?: readonly string[] | Acceptance<readonly string[], string> | undefined
  readonly current?: boolean | undefined
}

/** Process with the name of its effective user. */
export interface ObservedProcess extends Process {
  readonly user: string
}

export interface ProcessState {
  readonly processes: readonly ObservedProcess[]
  /** Why there may be hidden processes. */
  readonly unseen?: Unknown
}

/** Rule for each process: its displayed text, and whether it is accepted. */
interface EachRule {
  readonly property: string
  readonly wanted: Difference['desired']
  readonly show: (process: ObservedProcess) => Reading<string | boolean>
  readonly accepts: (process: ObservedProcess) => boolean
}

/** Compares the processes of a program with the policy, each one and their number. */
export function decideProcess(wanted: ProcessDesired, observed: Seen<ProcessState>): Decision<never> {
  if (observed.kind === 'absent') return decideNone(wanted)
  const { processes, unseen } = observed.state
  const ensure = { desired: wanted.ensure, observed: 'running' }
  if (wanted.ensure === 'absent') {
    const difference = { property: 'ensure', original: 'running', desired: 'absent', note: whichOnes(processes) }
    return differences([difference], { ensure, obstacles: [cannot(howToStop(processes))] })
  }
  const found = rulesOf(wanted).map((rule) => compareEach(rule, processes))
  const isCounted = wanted.count === undefined || isAccepted(NUMBERS, acceptanceOf(wanted.count), processes.length)
  const count = { property: 'count', original: processes.length, desired: wanted.count, note: whichOnes(processes) }
  // A hidden process may be one too many, or may violate a rule.
  const asked = [...(wanted.count === undefined ? [] : ['count']), ...rulesOf(wanted).map(({ property }) => property)]
  const hidden = unseen === undefined ? [] : asked.map((property) => unreadable(property, unseen))
  return differences([...(isCounted || unseen !== undefined ? [] : [count]), ...found.flatMap(({ drift }) => drift)], {
    ensure,
    unknown: [...hidden, ...found.flatMap((each) => each.unknown)],
    obstacles: [cannot(howToRestart(processes), { mayComeWithRequirement: true })],
  })
}

function decideNone({ name, ensure: wanted }: ProcessDesired): Decision<never> {
  const ensure = { desired: wanted, observed: 'absent' }
  if (wanted === 'absent') return differences([], { ensure })
  const reason = `a fix does not start ${name}: start its service with a "service" resource`
  return differences([{ property: 'ensure', original: 'absent', desired: 'running' }], {
    ensure,
    obstacles: [cannot(reason, { mayComeWithRequirement: true })],
  })
}

function rulesOf({ user, unit, command_line: line, arguments: words, current }: ProcessDesired): readonly EachRule[] {
  const rules: EachRule[] = []
  if (user !== undefined) {
    rules.push({
      property: 'user',
      wanted: user,
      show: (process) => ({ kind: 'known', value: process.user }),
      accepts: (process) => acceptsIdentity(user, [process.user, String(process.effectiveUid)]),
    })
  }
  if (unit !== undefined) {
    rules.push({
      property: 'unit',
      wanted: unit,
      show: (process) =>
        process.unit.kind === 'known' ? { kind: 'known', value: process.unit.value ?? '' } : process.unit,
      accepts: (process) => process.unit.kind === 'known' && acceptsIdentity(unit, [process.unit.value ?? '']),
    })
  }
  if (line !== undefined) {
    rules.push({
      property: 'command_line',
      wanted: line,
      show: (process) => ({ kind: 'known', value: process.arguments.join(' ') }),
      accepts: (process) => acceptsIdentity(line, [process.arguments.join(' ')]),
    })
  }
  if (words !== undefined) {
    const accepted = acceptanceOf<readonly string[], string>(words)
    rules.push({
      property: 'arguments',
      wanted: accepted,
      show: (process) => ({ kind: 'known', value: process.arguments.slice(1).join(' ') }),
      accepts: (process) => isAccepted(LISTS, accepted, process.arguments.slice(1)),
    })
  }
  if (current !== undefined) {
    rules.push({ property: 'current', wanted: true, show: isCurrent, accepts: (process) => !isReplaced(process) })
  }
  return rules
}

function isCurrent({ executable }: ObservedProcess): Reading<boolean> {
  return executable.kind === 'known' ? { kind: 'known', value: executable.value?.isDeleted !== true } : executable
}

function isReplaced({ executable }: ObservedProcess): boolean {
  return executable.kind === 'known' && executable.value?.isDeleted === true
}

/** One drift for all processes, because pids change with each start. */
function compareEach(
  { property, wanted, show, accepts }: EachRule,
  processes: readonly ObservedProcess[],
): { readonly drift: readonly Difference[]; readonly unknown: readonly UnknownProperty[] } {
  const unknown: UnknownProperty[] = []
  const values = new Set<string | boolean>()
  const offenders: ObservedProcess[] = []
  for (const process of processes) {
    const shown = show(process)
    if (shown.kind === 'unknown') unknown.push(unreadable(property, shown))
    else if (!accepts(process)) {
      values.add(shown.value)
      offenders.push(process)
    }
  }
  const [only, ...others] = values
  if (only === undefined) return { drift: [], unknown: unknown.slice(0, 1) }
  const original = others.length === 0 ? only : [...values].join(', ')
  return { drift: [{ property, original, desired: wanted, note: whichOnes(offenders) }], unknown: unknown.slice(0, 1) }
}

const MOST_SHOWN = 10

function whichOnes(processes: readonly ObservedProcess[]): string {
  const pids = processes.slice(0, MOST_SHOWN).map(({ pid }) => pid)
  const rest = processes.length > MOST_SHOWN ? ` and ${processes.length - MOST_SHOWN} more` : ''
  const replaced = processes.some(isReplaced) ? '; its executable was replaced or removed after it started' : ''
  return `${pids.length === 1 ? 'pid' : 'pids'} ${pids.join(', ')}${rest}${replaced}`
}

function unitsOf(processes: readonly ObservedProcess[]): readonly string[] {
  return [
    ...new Set(processes.flatMap(({ unit }) => (unit.kind === 'known' && unit.value !== null ? [unit.value] : []))),
  ]
}

function howToStop(processes: readonly ObservedProcess[]): string {
  const [unit] = unitsOf(processes)
  return unit === undefined
    ? 'a fix does not stop processes: stop it, and find the program that starts it'
    : `a fix does not stop processes: stop, disable or mask its unit ${unit} with a "service" resource`
}

function howToRestart(processes: readonly ObservedProcess[]): string {
  const [unit] = unitsOf(processes)
  return unit === undefined
    ? 'a fix does not start or stop processes: restart the service that started it'
    : `a fix does not start or stop processes: change the configuration of ${unit} and restart it`
}
