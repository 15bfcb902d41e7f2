import { isAbsolute } from 'node:path'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import { valueOf } from '../../../settings/effective.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { parsePamEnvironment } from '../../pam/environment-file.ts'
import { shellSettings } from '../../shell-startup/index.ts'
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

/** @see pam_env(8) */
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
  const environment = readPamPath(files)
  if (environment.kind === 'unknown') unclear.push(environment)
  else if (environment.value !== undefined) values.push(environment.value)
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

function readPamPath(files: ConfigFiles): Reading<string | undefined> {
  const text = files.text(ENVIRONMENT)
  if (text.kind === 'unknown') return text
  const variables = parsePamEnvironment(text.value ?? '', ENVIRONMENT)
  return variables.kind === 'unknown' ? variables : known(variables.value.get('PATH')?.value)
}

const SET_PATH = /^[ \t]*PATH[ \t]*=[ \t]*(["']?)(.*?)\1[ \t]*$/gm
