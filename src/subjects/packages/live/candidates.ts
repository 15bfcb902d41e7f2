import { statSync } from 'node:fs'
import { type Reading, mapReading } from '../../../model/observation.ts'
import type { PackageCandidate } from '../packages.ts'
import { errorCode } from '../../../host/live/system-error.ts'

/** Versions by the name that was asked for; a name the index does not know is missing. */
export type Versions = ReadonlyMap<string, string>

/** Candidates, asked from the package manager at once for all names that are expected. */
export interface Candidates {
  expect(names: readonly string[]): void
  isExpected(name: string): boolean
  of(name: string): Promise<Reading<PackageCandidate>>
  /** Ask again. */
  forget(): void
}

/** `ask` is called with all expected names at the first question, and later only for a name that was not expected. */
export function createCandidates(
  ask: (names: readonly string[]) => Promise<Reading<Versions>>,
  indexUpdated: () => string | undefined,
): Candidates {
  const expected = new Set<string>()
  const answers = new Map<string, Promise<Reading<Versions>>>()

  function askFor(name: string): Promise<Reading<Versions>> {
    const earlier = answers.get(name)
    if (earlier !== undefined) return earlier
    const names = expected.has(name) ? [...expected] : [name]
    const answer = ask(names)
    for (const each of names) answers.set(each, answer)
    return answer
  }

  return {
    expect: (names) => names.forEach((name) => expected.add(name)),
    isExpected: (name) => expected.has(name),
    async of(name) {
      return mapReading(await askFor(name), (answer) => ({
        version: answer.get(name) ?? null,
        indexUpdated: indexUpdated(),
      }))
    },
    forget: () => answers.clear(),
  }
}

/** When the newest of these paths was changed, as an ISO date with seconds; undefined where none can be looked at. */
export function newestChange(paths: readonly string[]): string | undefined {
  const times = paths.flatMap((path) => {
    try {
      return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? []
    } catch (error) {
      // It is only told beside a version; without permission to look, nothing is told.
      if (errorCode(error) === undefined) throw error
      return []
    }
  })
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString().replace(/\.\d+Z$/, 'Z')
}
