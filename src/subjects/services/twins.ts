import { known, type Reading } from '../../model/observation.ts'
import { drifted, type PartialDecision } from '../../model/partial-decision.ts'
import { isStartOf } from '../../settings/service-command.ts'
import { namesOf, otherServices, programOf, readStarts } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

/** Programs that start others, and tell nothing of a service. */
const GENERAL = /^(?:(?:ba|da)?sh|env|python[\d.]*|perl|true|false|sleep|exportfs|systemctl|nohup|setpriv|runuser)$/

/** The other services that start at boot and run the program of the package of a unit. */
export function twinsOf(files: ConfigFiles, unit: string): Reading<readonly string[]> {
  const starts = readStarts(files, unit)
  if (starts.kind === 'unknown') return starts
  const programs = (starts.value?.packaged ?? []).map(programOf).filter((program) => !GENERAL.test(program))
  return known(programs.length === 0 ? [] : otherServices(files, namesOf(unit), isStartOf(programs)))
}

/** A service that must not run does so under another name, which a fix leaves to its administrator. */
export function compareTwins(twins: readonly string[]): PartialDecision {
  const note = 'it runs the same program, and starts at boot'
  return {
    ...drifted(...twins.map((name) => ({ property: 'started_by', desired: 'nothing', observed: name, note }))),
    obstacles: twins.map((name) => ({ reason: `${name} runs the same program: disable it` })),
  }
}
