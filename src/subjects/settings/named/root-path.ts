import { isAbsolute } from 'node:path'
import { known, type Reading, type Unknown, unknown, mapReading } from '../../../model/observation.ts'
import { splitWords } from '../../../model/shell-split.ts'
import { assignmentsIn, valueOf } from '../../../settings/effective.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { readSystemd } from '../../../settings/systemd.ts'
import { loginDefs } from '../../accounts/login-defs.ts'
import { parsePamEnvironment } from '../../pam/environment-file.ts'
import { readPamLines } from '../../pam/settings/pam-lines.ts'
import { shellSettings } from '../../shell-startup/index.ts'
import { sshd } from '../../sshd/index.ts'
import { sudoers } from '../../sudo/index.ts'
import { type NamedPaths, readEffective, unique } from './paths.ts'

/** The elements of PATH in every login shell of root. */
export function namedByPath(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'PATH' }
  const effective = readEffective(shellSettings, files, key)
  if (effective.kind === 'unknown') return effective
  const rules = shellSettings.rulesOf(key, files)
  const elements = new Set<string>()
  const unclear: Unknown[] = []
  for (const each of effective.value) {
    const { scope = 'a shell of root', doubt } = each
    if (doubt !== undefined) unclear.push(unknown('not-observable', `the PATH of ${scope}: ${doubt}`))
    const isUnclear = each.winners.some((winner) => winner.unclear !== undefined)
    if (!isUnclear) for (const element of (valueOf(each, rules) ?? '').split(':')) elements.add(element)
  }
  const others = readOtherPaths(files)
  const found = [...new Set(others.values.flatMap((value) => value.split(':')))]
  // Unlike in a shell, a missing element is usual: distributions name directories of packages.
  const there = found.filter((each) => {
    const exists = files.exists(each)
    return isAbsolute(each) && (exists.kind === 'unknown' || exists.value)
  })
  const written = [...elements]
  return known({
    paths: unique([...written, ...there].filter((each) => isAbsolute(each))),
    strays: [...written, ...found].filter((each) => !isAbsolute(each)),
    unclear: [...unclear, ...others.unclear],
  })
}

const ENVIRONMENT = '/etc/environment'

/** Files that set PATH for jobs of root. @see crontab(5) */
const PATH_FILES = ['/etc/crontab', '/etc/anacrontab', '/var/spool/cron/crontabs/root', '/var/spool/cron/root']

const CRON_D = '/etc/cron.d'
const JOB_OF_ROOT = /^[ \t]*[^#\n]*[ \t]root[ \t]/m

/** Values of PATH outside of shells, with `secure_path` of sudo. */
function readOtherPaths(files: ConfigFiles): {
  readonly values: readonly string[]
  readonly unclear: readonly Unknown[]
} {
  const values: string[] = []
  const unclear: Unknown[] = []
  for (const paths of [readPamPaths(files), readDefaultEnvironment(files), readSetEnv(files), readSuPaths(files)]) {
    if (paths.kind === 'unknown') unclear.push(paths)
    else values.push(...paths.value)
  }
  const names = files.names(CRON_D)
  if (names.kind === 'unknown') unclear.push(names)
  // Other names are those of backups.
  const jobs = names.kind === 'unknown' ? [] : (names.value ?? []).filter((name) => /^[\w-]+$/.test(name))
  for (const file of [...PATH_FILES, ...jobs.map((name) => `${CRON_D}/${name}`)]) {
    const text = files.text(file)
    if (text.kind === 'unknown') unclear.push(text)
    else if (!file.startsWith(CRON_D) || JOB_OF_ROOT.test(text.value ?? ''))
      for (const [, , value = ''] of (text.value ?? '').matchAll(SET_PATH)) values.push(value)
  }
  const key = { section: '', key: 'Defaults.secure_path' }
  const installed = sudoers.installed(files)
  const effective = installed.kind === 'known' && installed.value ? readEffective(sudoers, files, key) : known([])
  if (effective.kind === 'unknown') unclear.push(effective)
  else {
    const winners = effective.value.filter(({ doubt }) => doubt === undefined).flatMap((each) => each.winners)
    values.push(...winners.map(({ value }) => value).filter((value) => value !== 'false'))
  }
  return { values, unclear }
}

/** The values of pam_env.conf and of environment files, those that lines of services name included. @see pam_env(8) */
function readPamPaths(files: ConfigFiles): Reading<readonly string[]> {
  const lines = readPamLines(files, 'pam_env', 'session')
  if (lines.kind === 'unknown') return lines
  const early = readPamLines(files, 'pam_env', 'auth')
  if (early.kind === 'unknown') return early
  const given = [...lines.value, ...early.value].flatMap((line) => line.arguments)
  const namedBy = (name: string, usual: string): readonly string[] =>
    unique([usual, ...given.flatMap((each) => (each.startsWith(`${name}=`) ? each.slice(name.length + 1) : []))])
  const values: string[] = []
  for (const file of namedBy('envfile', ENVIRONMENT)) {
    const text = files.text(file)
    if (text.kind === 'unknown') return text
    const variables = parsePamEnvironment(text.value ?? '', file)
    if (variables.kind === 'unknown') return variables
    values.push(...[variables.value.get('PATH')?.value ?? []].flat())
  }
  for (const file of namedBy('conffile', '/etc/security/pam_env.conf')) {
    const text = files.text(file)
    if (text.kind === 'unknown') return text
    for (const [line] of (text.value ?? '').replaceAll('\\\n', '').matchAll(/^[ \t]*PATH[ \t].*/gm))
      for (const [, quoted, plain] of line.matchAll(/(?:DEFAULT|OVERRIDE)=(?:"([^"]*)"|([^ \t]+))/g))
        values.push(...ofRoot(quoted ?? plain ?? ''))
  }
  return known(values)
}

/** The elements that root has; other variables in them are those of an earlier PATH. */
function ofRoot(path: string): readonly string[] {
  const elements = path.replaceAll(/[$@]\{HOME\}/g, '/root').split(':')
  return elements.filter((element) => !/[$@]\{/.test(element))
}

/** @see systemd-system.conf(5), DefaultEnvironment= */
function readDefaultEnvironment(files: ConfigFiles): Reading<readonly string[]> {
  return mapReading(readSystemd(files, 'systemd/system.conf'), (lines) =>
    lines.flatMap(({ key, value }) => (key === 'DefaultEnvironment' ? pathsIn(value) : [])),
  )
}

/** The values that sshd sets for root. @see sshd_config(5), SetEnv */
function readSetEnv(files: ConfigFiles): Reading<readonly string[]> {
  const installed = sshd.installed(files)
  if (installed.kind === 'unknown') return installed
  if (!installed.value) return known([])
  const groups = files.text('/etc/group')
  if (groups.kind === 'unknown') return groups
  const root = ['user=root', ...groupsOfRoot(groups.value ?? '').map((name) => `group=${name}`)]
  const effective = readEffective(sshd, files, { section: '', key: 'SetEnv' }, { match: root.join(',') })
  if (effective.kind === 'unknown') return effective
  return known(effective.value.flatMap(({ winners }) => winners.flatMap(({ value }) => pathsIn(value))))
}

function groupsOfRoot(text: string): readonly string[] {
  const groups = text.split('\n').map((line) => line.split(':'))
  const own = groups.filter(([, , gid, members = '']) => gid === '0' || members.split(',').includes('root'))
  return own.map(([name = '']) => name)
}

function pathsIn(assignments: string): readonly string[] {
  const words = splitWords(assignments)
  return (words.ok ? words.words : []).flatMap((word) => (word.startsWith('PATH=') ? word.slice('PATH='.length) : []))
}

const SU_PATHS = ['ENV_SUPATH', 'ENV_ROOTPATH']

/** The PATH of root after su(1) and login(1). @see login.defs(5), ENV_SUPATH */
function readSuPaths(files: ConfigFiles): Reading<readonly string[]> {
  return mapReading(assignmentsIn(files, loginDefs), (lines) =>
    lines.flatMap(({ key, value }) => (SU_PATHS.includes(key) ? value.replace(/^PATH=/, '') : [])),
  )
}

const SET_PATH = /^[ \t]*PATH[ \t]*=[ \t]*(["']?)(.*?)\1[ \t]*$/gm
