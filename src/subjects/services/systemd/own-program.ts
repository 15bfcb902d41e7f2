import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { readingOf } from '../../../host/live/machine-reading.ts'
import { known, present, type Reading, unknown } from '../../../model/observation.ts'
import { ALL_FIREWALL_UNITS, CHANGES_RULES } from '../../../settings/firewall-units.ts'
import { unitFilesOf } from '../../../settings/look.ts'
import { programOf, readStarts, readUnit, type UnitSource } from '../../../settings/service-unit.ts'
import { ENABLED } from '../decide.ts'
import type { ServiceManager, ServiceStatus, UnitEnablement } from '../services.ts'

/** Services with doubts whether an enabled unit starts the program of its package: a drop-in or a copy may replace its command. */
export function withOwnPrograms<Manager extends ServiceManager>(services: Manager, machine: MachineFiles): Manager {
  const files = unitFilesOf(readingOf(machine))
  return {
    ...services,
    async status(unit, signal) {
      const seen = await services.status(unit, signal)
      if (seen.kind !== 'present') return seen
      const enablement = withDoubt(files, [...new Set([unit, seen.state.unit])], seen.state)
      return present({ ...seen.state, enablement }, seen.context)
    },
  }
}

function withDoubt(
  files: UnitSource,
  units: readonly string[],
  { enablement, runtime }: ServiceStatus,
): Reading<UnitEnablement> {
  if (enablement.kind === 'unknown' || !ENABLED[enablement.value.state]) return enablement
  if (enablement.value.unsettled !== undefined) return enablement
  const [doubt] = units
    .flatMap((unit) => startedBy(files, unit))
    .flatMap((unit) => doubtOf(files, unit, runtime.kind === 'known') ?? [])
  return doubt === undefined ? enablement : known({ ...enablement.value, ...doubt })
}

function startedBy(files: UnitSource, unit: string): readonly string[] {
  if (unit.endsWith('.service')) return [unit]
  if (!unit.endsWith('.timer')) return []
  const timer = readUnit(files, unit, { section: 'Timer' })
  const lines = timer.kind === 'known' ? (timer.value ?? []) : []
  return [lines.findLast(({ key }) => key === 'Unit')?.value ?? unit.replace(/\.timer$/, '.service')]
}

/** Programs that certainly are no service. */
const IDLE = ['true', 'false', 'sleep', 'echo', 'printf', 'test']

const STOPS = /\bsystemctl\b.*\b(?:stop|disable|mask|kill)\b|\bp?kill(?:all)?\b/

type Doubt = Pick<UnitEnablement, 'unsettled' | 'idle'>

function doubtOf(files: UnitSource, unit: string, isSeenRunning: boolean): Doubt | undefined {
  const starts = readStarts(files, unit)
  if (starts.kind === 'unknown') return { unsettled: starts }
  if (starts.value === undefined) return undefined
  const { packaged, effective, conditions, besides } = starts.value
  const programs = [...new Set(packaged.map(programOf))]
  if (programs.length > 0 && effective.length === 0) return { idle: `${unit} starts no program` }
  const other = effective.find(
    ({ value }) => !packaged.includes(value) && !programs.some((program) => isStartedBy(program, value)),
  )
  if (other !== undefined) {
    const found = `${unit} starts "${other.value}" (${other.file}:${other.line}) instead of ${programs.join(' and ')}`
    return IDLE.includes(programOf(other.value)) ? { idle: found } : { unsettled: unknown('not-observable', found) }
  }
  const undone = besides.find(
    ({ key, value }) =>
      (key === 'ExecStartPost' && STOPS.test(value)) ||
      (ALL_FIREWALL_UNITS.includes(unit) && CHANGES_RULES.test(value)),
  )
  if (undone !== undefined)
    return {
      unsettled: unknown('not-observable', `${unit} also runs "${undone.value}" (${undone.file}:${undone.line})`),
    }
  const [condition] = isSeenRunning ? [] : conditions
  if (condition === undefined) return undefined
  const { key, value, file, line } = condition
  return { unsettled: unknown('not-observable', `${unit} starts only if ${key}=${value} holds (${file}:${line})`) }
}

/** Whether a command is one of packages: the same program, or the one after which a script is named, such as dailyaidecheck. */
function isStartedBy(packaged: string, command: string): boolean {
  const program = programOf(command)
  const isOfPackage = /^[@\-:+!|]*(?:\/usr)?\/(?:s?bin|lib|libexec|share)\//.test(command)
  const isNamedAfter = program.length > 3 && packaged.includes(program) && !packaged.startsWith('systemd-')
  return isOfPackage && (packaged === program || isNamedAfter)
}
