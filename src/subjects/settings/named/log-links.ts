import { known, type Reading } from '../../../model/observation.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { namedByReading, type NamedPaths } from './paths.ts'

const LOGS = '/var/log'

/** Trees without logs: a link in the log directory to one of them is to documentation or a device. */
const OTHERS = /^\/(?:usr|etc|dev|proc|sys)\//

/** Records that others than the log groups may read: journals by access lists, logins by their programs. */
const RECORDS = /\.journal~?$|^(?:[bw]tmp|lastlog)(?:[.-]|$)/

/** The files outside of the log directory that links in it lead to. */
export function namedByLogLinks(files: ConfigFiles): Reading<NamedPaths> {
  const found: string[] = []
  const logs = files.real(LOGS)
  if (logs.kind === 'unknown') return logs
  const root = logs.value ?? LOGS
  const directories = new Set([root])
  // A set visits what is added while it is iterated.
  for (const directory of directories) {
    const names = files.names(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) {
      const real = files.real(`${directory}/${name}`)
      if (real.kind === 'unknown') return real
      if (real.value === null || OTHERS.test(real.value)) continue
      const kind = files.kind(real.value)
      if (kind.kind === 'unknown') return kind
      if (kind.value === 'directory') directories.add(real.value)
      else if (kind.value === 'file' && !real.value.startsWith(`${root}/`) && !RECORDS.test(name))
        found.push(real.value)
    }
  }
  return namedByReading(known(found))
}
