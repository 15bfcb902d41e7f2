import { pathsIn } from '../../../host/paths-in.ts'
import { basename, dirname, isAbsolute, normalize } from 'node:path'
import { known, type Reading, type Unknown } from '../../../model/observation.ts'
import type { KeyName } from '../../../settings/assignment.ts'
import { assignmentsIn, effectiveOf } from '../../../settings/effective.ts'
import type { ConfigFiles, Surface } from '../../../settings/surface.ts'

export interface NamedPaths {
  /** Absolute paths without duplicates. The files may not exist. */
  readonly paths: readonly string[]
  /** Values that should be absolute paths but are not. */
  readonly strays: readonly string[]
  /** Why the list may be incomplete. */
  readonly unclear: readonly Unknown[]
}

export function readEffective(
  surface: Surface,
  files: ConfigFiles,
  key: KeyName,
  options: { readonly match?: string } = {},
): ReturnType<typeof effectiveOf> {
  const assignments = assignmentsIn(files, surface)
  return assignments.kind === 'unknown' ? assignments : effectiveOf(surface, assignments.value, key, options)
}

export function readBy(
  files: ConfigFiles,
  { read }: { readonly read: (files: ConfigFiles) => Reading<unknown> },
): Reading<readonly string[]> {
  const paths: string[] = []
  const found = read({
    ...files,
    text(path) {
      const text = files.text(path)
      if (text.kind === 'known' && text.value !== null) paths.push(path)
      return text
    },
  })
  return found.kind === 'unknown' ? found : known(paths)
}

export function namedByReading(paths: Reading<readonly string[]>): Reading<NamedPaths> {
  return paths.kind === 'unknown' ? paths : known({ paths: unique(paths.value), strays: [], unclear: [] })
}

/** Values as paths; those that are not absolute are strays. */
export function namedByValues(values: readonly string[], unclear: readonly Unknown[] = []): NamedPaths {
  return {
    paths: unique(values.filter((value) => isAbsolute(value))),
    strays: values.filter((value) => !isAbsolute(value)),
    unclear,
  }
}

/** A log and its rotated files, which begin with its name. */
export function rotatedOf(files: ConfigFiles, log: string): Reading<readonly string[]> {
  const directory = dirname(log)
  return pathsIn(files, [directory], (name) => name.startsWith(basename(log)))
}

export function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => normalize(path)))]
}
