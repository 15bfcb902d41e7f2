import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { ANY_KEY, type Assignment } from '../../settings/assignment.ts'
import { isSameKey, valueOf } from '../../settings/effective.ts'
import { recordFiles } from '../../settings/files.ts'
import type { Surface } from '../../settings/surface.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { type AnyObserved, eitherOf } from './any-of.ts'
import type { SettingState } from './decide.ts'
import type { SettingContext } from './plan.ts'

/** Captures the effective value. The name of a surface alone means all keys that its files set. */
export function settingCapture(
  surfaces: readonly Surface[],
): ResourceCapture<SettingState | AnyObserved, SettingContext | undefined> {
  return {
    look: {},
    describe(seen, { name, target, isPrivateTaken }): Captured {
      const { one } = eitherOf(seen)
      // A capture observes a single setting.
      if (one === undefined || one.kind === 'absent') return { kind: 'absent' }
      const { surface, key, files } = one.context
      const [forAll] = one.state.effective
      const [hidden] = isPrivateTaken ? [] : forAll.winners.filter(({ file }) => isPrivate(target, file))
      if (hidden !== undefined) {
        return unknown(
          'not-observable',
          `${hidden.file} is not world-readable, so ${name} is omitted; use --private to include it`,
        )
      }
      const value = valueOf(forAll, surface.rulesOf(key, files))
      return value === undefined
        ? { kind: 'absent', properties: { ensure: 'absent' } }
        : { kind: 'present', properties: { value } }
    },
    members(name, target): readonly string[] | Unknown | undefined {
      const surface = surfaces.find((each) => each.name === name)
      if (surface === undefined) return undefined
      const found = keysOf(surface, target)
      return found.kind === 'known' ? found.value.map((key) => `${name}:${key}`) : found
    },
  }
}

/** Whether the file is not world-readable; true for a missing or inaccessible file. */
function isPrivate({ files: { stat } }: HasFiles<'stat'>, file: string): boolean {
  const seen = stat(file)
  return seen.kind !== 'present' || (seen.state.mode & OTHERS_READ) === 0
}

const OTHERS_READ = 0o004

/** The keys that the files of a surface set for all users, as written in policies, sorted. */
function keysOf(surface: Surface, target: Target): Reading<readonly string[]> {
  const { files } = recordFiles(target)
  const installed = surface.installed(files)
  if (installed.kind === 'unknown') return installed
  if (!installed.value) return known([])
  const read = surface.read(files)
  if (read.kind === 'unknown') return read
  const keys = read.value.flatMap((each) => (each.scope === undefined ? keyTextOf(surface, each) : []))
  return known([...new Set(keys)].toSorted())
}

/** The key of a line as written in policies; empty if a policy cannot name it. */
function keyTextOf(surface: Surface, assignment: Assignment): readonly string[] {
  const { section, key } = assignment
  if (key === ANY_KEY) return []
  const found = [key, `${section}.${key}`].find((text) => {
    const meant = surface.keyOf(text)
    return !('problem' in meant) && isSameKey(surface, meant, assignment)
  })
  return found === undefined ? [] : [found]
}
