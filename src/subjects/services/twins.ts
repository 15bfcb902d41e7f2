import { withBlanksOfC } from '../../settings/blanks.ts'
import { known, type Reading } from '../../model/observation.ts'
import { drifted, type PartialDecision } from '../../model/partial-decision.ts'
import { isStartOf } from '../../settings/service-command.ts'
import { namesOf, otherServices, programOf, readStarts, type UnitLine } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

/** Programs that start others, and tell nothing of a service. */
const GENERAL = /^(?:(?:ba|da)?sh|env|python[\d.]*|perl|true|false|sleep|exportfs|systemctl|nohup|setpriv|runuser)$/

/** The other services that start at boot and run the program of the package of a unit. */
export function twinsOf(files: ConfigFiles, unit: string): Reading<readonly string[]> {
  const starts = readStarts(files, unit)
  if (starts.kind === 'unknown') return starts
  const commands = (starts.value?.packaged ?? []).filter((command) => !GENERAL.test(programOf(command)))
  if (commands.length === 0) return known([])
  return known(otherServices(files, namesOf(unit), (line) => commands.some((command) => isSameStart(command, line))))
}

/** The option that makes a program such as rsync a service. */
const DAEMON = withBlanksOfC(/\s--daemon(?=\s|$)/)

function isSameStart(command: string, line: UnitLine): boolean {
  return isStartOf([programOf(command)])(line) && (!DAEMON.test(command) || DAEMON.test(line.value))
}

/** A service that must not run does so under another name, which a fix leaves to its administrator. */
export function compareTwins(twins: readonly string[]): PartialDecision {
  const note = 'it runs the same program, and starts at boot'
  return {
    ...drifted(...twins.map((name) => ({ property: 'started_by', desired: 'nothing', observed: name, note }))),
    obstacles: twins.map((name) => ({ reason: `${name} runs the same program: disable it` })),
  }
}
