import { statSync } from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { PackageInstance } from '../packages.ts'
import type { Tools } from './tools.ts'
import { provesAbsence } from '../../../host/live/system-error.ts'

/** rpm's database, asked for everything at the first question. */
export interface RpmDatabase {
  exists(): boolean
  find(name: string): Promise<Reading<readonly PackageInstance[]>>
  forget(): void
}

/** Where rpm's database may lie, and what rpm is told before everything else. */
export interface RpmOptions {
  readonly databaseDirectories?: readonly string[]
  readonly rpmArguments?: readonly string[]
}

/** Where it may lie. */
export const RPM_DIRECTORIES: readonly string[] = ['/usr/lib/sysimage/rpm', '/var/lib/rpm']

/** The files of the three formats of rpm's database. */
export const RPM_FILES: readonly string[] = ['rpmdb.sqlite', 'Packages.db', 'Packages']

const QUERY_FORMAT = '%{NAME}\\t%{EPOCHNUM}\\t%{VERSION}\\t%{RELEASE}\\t%{ARCH}\\n'

const ANSWER_TIMEOUT_MS = 120_000

export type RpmPackages = ReadonlyMap<string, readonly PackageInstance[]>

/** Opens the database; rpm is run once, at the first question. */
export function openRpmDatabase(tools: Tools, options: RpmOptions = {}): RpmDatabase {
  const { databaseDirectories = RPM_DIRECTORIES, rpmArguments = [] } = options
  let packages: Promise<Reading<RpmPackages>> | undefined
  const exists = (): boolean =>
    databaseDirectories.some((directory) => RPM_FILES.some((file) => isThere(join(directory, file))))

  async function load(): Promise<Reading<RpmPackages>> {
    // rpm makes an empty database if absent.
    if (!exists()) return unknown('not-observable', `no rpm database in ${databaseDirectories.join(' or ')}`)
    const argv = ['rpm', ...rpmArguments, '-qa', '--queryformat', QUERY_FORMAT] as const
    const answer = await tools.ask(argv, ANSWER_TIMEOUT_MS)
    return answer.kind === 'unknown' ? answer : parseRpmPackages(answer.value, machine())
  }

  return {
    exists: () => exists() && tools.find('rpm') !== undefined,
    async find(name) {
      packages ??= load()
      const current = await packages
      return current.kind === 'unknown' ? current : known(selectRpm(current.value, name))
    },
    forget() {
      packages = undefined
    },
  }
}

/** The packages by name, from the lines that rpm writes for all of them. */
export function parseRpmPackages(text: string, machineArchitecture: string): Reading<RpmPackages> {
  const packages = new Map<string, PackageInstance[]>()
  const lines = text.split('\n')
  if (lines.pop() !== '') return unknown('not-observable', 'rpm: the last line of the output is incomplete')
  for (const line of lines) {
    const [name, epoch, version, release, architecture, ...rest] = line.split('\t')
    const isWhole = name && epoch && version && release && architecture && rest.length === 0
    if (!isWhole || !/^[0-9]+$/.test(epoch)) {
      return unknown('not-observable', `rpm: ${JSON.stringify(line)} does not describe a package`)
    }
    const instance: PackageInstance = {
      id: `${name}.${architecture}`,
      state: 'installed',
      version: `${epoch === '0' ? '' : `${epoch}:`}${version}-${release}`,
      architecture,
      native: architecture === machineArchitecture || architecture === 'noarch',
      held: false,
    }
    const others = packages.get(name)
    if (others === undefined) packages.set(name, [instance])
    else others.push(instance)
  }
  // No machine is without packages, but a lost database looks just like that.
  return packages.size === 0 ? unknown('not-observable', 'rpm: its database contains no packages') : known(packages)
}

/** The architecture follows a colon as with apt, or a dot as rpm has it; a name may have dots of its own. */
export function selectRpm(packages: RpmPackages, name: string): readonly PackageInstance[] {
  const exact = packages.get(name)
  if (exact !== undefined) return exact
  const [, base = '', architecture = ''] = /^(.*)[:.](.*)$/.exec(name) ?? []
  return (packages.get(base) ?? []).filter((instance) => instance.architecture === architecture)
}

/** Whether something is at the path. What may not be looked at counts as there: reading it will say what is wrong. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return !provesAbsence(error)
  }
}
