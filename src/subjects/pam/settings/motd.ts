import { dropInsIn } from '../../../host/paths-in.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
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

/** Scripts of packages, whose text tells what they print; the last output may be older than a change of one of them. */
const PACKAGED_SCRIPTS = [
  '00-header',
  '10-uname',
  '50-landscape-sysinfo',
  '85-fwupd',
  '88-esm-announce',
  '90-updates-available',
  '91-contract-ua-esm-status',
  '92-unattended-upgrades',
  '95-hwe-eol',
  '97-overlayroot',
  '98-cloudguest',
  '98-fsck-at-reboot',
  '98-reboot-required',
]

/** Directories of programs and scripts that the administrator installs. @see file-hierarchy(7) */
const SITE_PROGRAMS = ['/usr/local/sbin', '/usr/local/bin']

/** Files of packages, and those of a running system, whose content is not the administrator's. */
const NOT_OF_THE_SITE = /^\/(?:(?:usr\/)?(?:bin|sbin|lib|lib64|libexec|share)|(?:var\/)?run|proc|sys|dev)\//

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
      const below = dropInsIn(files, directories.split(':').filter(isNamed))
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
  '`motd_scripts:text` has the lines, without comments, of the scripts in `/etc/update-motd.d` that run-parts executes, and of the scripts and texts of the administrator that they name. If one of the scripts is not of a package, it has the output of the last login (`/run/motd.dynamic`), too. It is unknown if a script runs a binary program of the administrator.',
  (files) => {
    const names = files.names(SCRIPTS)
    if (names.kind === 'unknown') return names
    const paths = new Set<string>()
    for (const name of names.value ?? []) {
      if (!/^(?:[\w-]+|_?(?:[a-z0-9_.]+-)+[a-z0-9]+)$/.test(name) || SILENT_SCRIPTS.includes(name)) continue
      const path = `${SCRIPTS}/${name}`
      const isRun = isExecutable(files, path)
      if (isRun.kind === 'unknown') return isRun
      if (!isRun.value) continue
      paths.add(path)
      if (!PACKAGED_SCRIPTS.includes(name) && isThere(files, PRINTED)) paths.add(PRINTED)
    }
    // A set visits what is added while it is iterated.
    for (const path of paths) {
      if (path === PRINTED) continue
      const named = readNamedIn(files, path)
      if (named.kind === 'unknown') return named
      for (const each of named.value) paths.add(each)
    }
    return known([...paths])
  },
  /^[ \t]*#/,
)

const READING = /(?:^|[ \t\n;&|(])(?:\.|source|cat)[ \t]+["']?([\w./+-]+)/gm

/** The scripts that a script runs, and the files that it reads or prints, except those of packages. */
function readNamedIn(files: ConfigFiles, script: string): Reading<readonly string[]> {
  const text = files.text(script)
  if (text.kind === 'unknown') return text
  if (text.value?.startsWith('\u007fELF') === true) return unknown('not-observable', `${script} is a program`)
  const code = (text.value ?? '').replaceAll(/^[ \t]*#.*$/gm, '')
  const words = new Set(code.match(/[\w./+-]+/g))
  const read = new Set([...code.matchAll(READING)].map(([, path]) => path))
  const found: string[] = []
  for (const word of words) {
    const candidates = word.startsWith('/') ? [word] : SITE_PROGRAMS.map((directory) => `${directory}/${word}`)
    for (const path of candidates) {
      if (NOT_OF_THE_SITE.test(path) || (word.includes('/') && !word.startsWith('/'))) continue
      const isRun = isExecutable(files, path)
      if (isRun.kind === 'unknown') return isRun
      if (isRun.value || read.has(word)) found.push(path)
    }
  }
  return known(found)
}

function isExecutable(files: ConfigFiles, path: string): Reading<boolean> {
  const kind = files.kind(path)
  if (kind.kind === 'unknown') return kind
  const seen = kind.value === 'file' ? files.attributes(path) : known(null)
  return seen.kind === 'unknown' ? seen : known(seen.value !== null && (seen.value.mode & 0o111) !== 0)
}

function shownBy(line: PamEntry): typeof USUAL {
  const shown = { motd: argumentOf(line, 'motd') ?? '', motd_dir: argumentOf(line, 'motd_dir') ?? '' }
  return shown.motd === '' && shown.motd_dir === '' ? USUAL : shown
}

function isNamed(path: string): boolean {
  return path !== ''
}
