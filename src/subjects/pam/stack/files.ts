import { normalize } from 'node:path'
import { memoizedByText } from '../../../model/memoize.ts'
import { known, type Reading } from '../../../model/observation.ts'
import { logicalLines } from './lines.ts'
import type { PamFile, PamFiles } from './stack.ts'
import { nextToken } from './tokens.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import type { PamView } from './profiles.ts'

/** Directories of service files by precedence. @see pam.d(5); SUSE adds the last one */
export const SERVICE_DIRECTORIES = ['/etc/pam.d', '/usr/lib/pam.d', '/usr/etc/pam.d'] as const

/** Names of backup files of package managers, pam-auth-update and editors; no program uses such a service name. */
const LEFT_BEHIND = /(?:\.(?:dpkg|pam|ucf)-\w+|\.rpm\w+|~)$/

/** Whether a file in one of the directories belongs to a service. */
export function isServiceName(name: string): boolean {
  return !LEFT_BEHIND.test(name)
}

/** The file that Linux-PAM reads if none of the directories exists. */
const PAM_CONF = '/etc/pam.conf'

/** Debian's names of architectures that differ from the kernel's. */
const TRIPLETS: Readonly<Record<string, string>> = {
  armv7l: 'arm-linux-gnueabihf',
  i686: 'i386-linux-gnu',
  ppc64le: 'powerpc64le-linux-gnu',
}

/** Module directories of Debian and of other distributions. */
const moduleDirectories = memoizedByText(8, (machine): readonly string[] => {
  const triplet = TRIPLETS[machine] ?? `${machine}-linux-gnu`
  const libraries = [`/usr/lib/${triplet}`, '/usr/lib64', '/usr/lib', `/lib/${triplet}`, '/lib64', '/lib']
  return libraries.map((directory) => `${directory}/security`)
})

type Source = Pick<ConfigFiles, 'text' | 'exists'>

function sourceOf({ files: { stat }, probe }: PamView): Source {
  return {
    text: (path) => probe.readText(path),
    exists(path) {
      const seen = stat(path)
      return seen.kind === 'unknown' ? seen : known(seen.kind === 'present')
    },
  }
}

/** Reads the first of the files that exists; null if absent. */
export function readFirst({ text: read }: Pick<Source, 'text'>, paths: readonly string[]): Reading<PamFile | null> {
  for (const path of paths) {
    const text = read(path)
    if (text.kind === 'unknown') return text
    if (text.value !== null) return known({ path, text: text.value })
  }
  return known(null)
}

/** Opens the PAM configuration as libpam does. */
export function openPamFiles(machine: PamView): PamFiles {
  return {
    find: finderIn(sourceOf(machine)),
    hasModule(module) {
      const path = findModule(machine, module)
      return path.kind === 'unknown' ? path : known(path.value !== null)
    },
  }
}

/** Opens the PAM configuration without a lookup of installed modules. */
export function openPamTexts(source: Source): PamFiles {
  return { find: finderIn(source), hasModule: () => known(true) }
}

function finderIn(source: Source): PamFiles['find'] {
  return (name, places) => {
    if (name.startsWith('/')) return readFirst(source, [name])
    const paths = SERVICE_DIRECTORIES.map((directory) => `${directory}/${name}`)
    const file = readFirst(source, places === 'etc' ? paths.slice(0, 1) : paths)
    if (file.kind === 'unknown' || file.value !== null || places === 'etc') return file
    return readPamConf(source, name)
  }
}

/** The path of the module that a line names, with or without its directory; null if absent. */
export function findModule(machine: PamView, module: string): Reading<string | null> {
  const named = module.replaceAll('$ISA', '.')
  const paths = named.startsWith('/')
    ? [named]
    : moduleDirectories(machine.probe.machine).map((directory) => `${directory}/${named}`)
  for (const path of paths) {
    const seen = machine.files.stat(path)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'present') return known(normalize(path))
  }
  return known(null)
}

/** The lines of a service in /etc/pam.conf, which is read only if none of the directories exists. */
function readPamConf({ text: read, exists }: Source, service: string): Reading<PamFile | null> {
  for (const directory of SERVICE_DIRECTORIES) {
    const isThere = exists(directory)
    if (isThere.kind === 'unknown') return isThere
    if (isThere.value) return known(null)
  }
  const text = read(PAM_CONF)
  if (text.kind === 'unknown') return text
  const lines = text.value === null ? known([]) : logicalLines(text.value, PAM_CONF)
  if (lines.kind === 'unknown') return lines
  const own: string[] = []
  for (const { text: written, line } of lines.value) {
    const first = nextToken(written)
    if (first?.word.toLowerCase() === service.toLowerCase()) own[line - 1] = first.rest
  }
  return known(own.length === 0 ? null : { path: PAM_CONF, text: Array.from(own, (each) => each ?? '').join('\n') })
}
