import { known, type Reading } from '../../../model/observation.ts'
import { bannerSurface } from '../../../settings/banners.ts'
import { isThere } from '../../../settings/reading.ts'
import type { ConfigFiles, Surface } from '../../../settings/surface.ts'
import type { PamEntry } from '../stack/stack.ts'
import { argumentOf, readPamLines } from './pam-lines.ts'

/** What pam_motd shows without arguments. @see pam_motd(8) */
const USUAL = { motd: '/etc/motd:/run/motd:/usr/lib/motd', motd_dir: '/etc/motd.d:/run/motd.d:/usr/lib/motd.d' }

/** What the scripts of update-motd.d have printed at the last login. */
const PRINTED = '/run/motd.dynamic'

const SCRIPTS = '/etc/update-motd.d'

/** Scripts of Ubuntu that look at the release but do not print it. */
const SILENT_SCRIPTS = ['10-help-text', '50-motd-news', '91-release-upgrade']

/** The text that pam_motd shows after a login, without what update-motd.d prints. */
export const motd: Surface = bannerSurface(
  'motd',
  '`motd:text` is the text that pam_motd shows after login: the first of the files of `motd=`, then those in the directories of `motd_dir=` in name order, by the lines of all services. Without these arguments it is `motd`, and `motd.d`, in `/etc`, `/run` and `/usr/lib`. The output of `/etc/update-motd.d` is not included.',
  (files) => {
    const lines = readPamLines(files, 'pam_motd', 'session')
    if (lines.kind === 'unknown') return lines
    const shown = lines.value.length === 0 ? [USUAL] : lines.value.map(shownBy)
    const found = new Set<string>()
    for (const { motd: named, motd_dir: directories } of shown) {
      const below = filesIn(files, directories.split(':').filter(isNamed))
      if (below.kind === 'unknown') return below
      const first = named.split(':').find((path) => isNamed(path) && isThere(files, path)) ?? ''
      for (const path of [first, ...below.value]) if (isNamed(path) && path !== PRINTED) found.add(path)
    }
    return known([...found])
  },
)

/** The text of the scripts whose output Debian shows after a login. @see update-motd(5), run-parts(8) */
export const motdScripts: Surface = bannerSurface(
  'motd_scripts',
  '`motd_scripts:text` has the lines, without comments, of the scripts in `/etc/update-motd.d` that run-parts executes.',
  (files) => {
    const names = files.names(SCRIPTS)
    if (names.kind === 'unknown') return names
    const paths: string[] = []
    for (const name of names.value ?? []) {
      if (!/^(?:[\w-]+|_?(?:[a-z0-9_.]+-)+[a-z0-9]+)$/.test(name) || SILENT_SCRIPTS.includes(name)) continue
      const seen = files.attributes(`${SCRIPTS}/${name}`)
      if (seen.kind === 'unknown') return seen
      if (seen.value !== null && (seen.value.mode & 0o111) !== 0) paths.push(`${SCRIPTS}/${name}`)
    }
    return known(paths)
  },
  /^[ \t]*#/,
)

function shownBy(line: PamEntry): typeof USUAL {
  const shown = { motd: argumentOf(line, 'motd') ?? '', motd_dir: argumentOf(line, 'motd_dir') ?? '' }
  return shown.motd === '' && shown.motd_dir === '' ? USUAL : shown
}

function isNamed(path: string): boolean {
  return path !== ''
}

/** By name over all directories; a file hides one of its name in later directories. */
function filesIn(files: ConfigFiles, directories: readonly string[]): Reading<readonly string[]> {
  const found = new Map<string, string>()
  for (const directory of directories) {
    const names = files.names(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) if (!found.has(name)) found.set(name, `${directory}/${name}`)
  }
  return known([...found.keys()].toSorted().flatMap((name) => found.get(name) ?? []))
}
