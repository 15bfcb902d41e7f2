import { known, type Reading, unknown } from '../model/observation.ts'
import { splitWords } from '../model/shell-split.ts'
import type { CommandWord } from './service-command.ts'
import { isEnabledUnit } from './service-unit.ts'
import type { ConfigFiles } from './surface.ts'
import { assignmentsIn } from '../host/systemd/unit-syntax.ts'

const UNIT = '.config/systemd/user/docker.service'
const WANTED = '.config/systemd/user/default.target.wants/docker.service'

/** A daemon that a user runs without root. @see https://docs.docker.com/engine/security/rootless/ */
export interface RootlessDocker {
  readonly main: string
  /** The words after its program. */
  readonly words: readonly CommandWord[]
}

/**
 * The daemon of a user, if that of the system does not start; undefined without one. Unknown if there are several
 * daemons: each has a configuration of its own.
 */
export function readRootlessDocker(files: ConfigFiles): Reading<RootlessDocker | undefined> {
  const homes = homesWithDocker(files)
  if (homes.kind === 'unknown') return homes
  const [home, other] = homes.value
  if (home === undefined) return known(undefined)
  if (other !== undefined)
    return unknown('not-observable', `${home} and ${other} have rootless Docker daemons, each with its own options`)
  for (const unit of ['docker.service', 'docker.socket']) {
    const enabled = isEnabledUnit(files, unit)
    if (enabled.kind === 'unknown') return enabled
    if (enabled.value)
      return unknown('not-observable', `${home}/${UNIT} starts a rootless Docker daemon beside that of the system`)
  }
  const words = wordsOf(files, `${home}/${UNIT}`)
  return words.kind === 'unknown' ? words : known({ main: `${home}/.config/docker/daemon.json`, words: words.value })
}

function homesWithDocker(files: ConfigFiles): Reading<readonly string[]> {
  const passwd = files.text('/etc/passwd')
  if (passwd.kind === 'unknown') return passwd
  const homes: string[] = []
  for (const line of (passwd.value ?? '').split('\n')) {
    const home = line.split(':')[5] ?? ''
    if (!home.startsWith('/') || home === '/' || homes.includes(home)) continue
    for (const path of [UNIT, WANTED]) {
      const there = files.exists(`${home}/${path}`)
      // A home in /run or /dev, such as those of system accounts, has no units at the next start.
      if (there.kind === 'unknown' && there.needs !== 'running-system') return there
      if (there.kind === 'unknown' || !there.value) break
      if (path === WANTED) homes.push(home)
    }
  }
  return known(homes)
}

function wordsOf(files: ConfigFiles, path: string): Reading<readonly CommandWord[]> {
  const text = files.text(path)
  if (text.kind === 'unknown') return text
  const start = assignmentsIn(text.value ?? '', 'Service').findLast(({ key }) => key === 'ExecStart')
  const split = splitWords(start?.value ?? '')
  const at = split.ok ? split.words.findIndex((word) => /(?:^|\/)dockerd-rootless\.sh$/.test(word)) : -1
  if (start === undefined || !split.ok || at < 0 || split.words.some((word) => word.includes('$')))
    return unknown('not-observable', `${path}: the options of dockerd-rootless.sh are not on the command line`)
  return known(split.words.slice(at + 1).map((word) => ({ text: word, file: path, line: start.line })))
}
