import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { chooseProvider } from '../../../engine/prepare.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { regularStateDirectory } from '../../../host/live/state-directory.ts'
import type { Target } from '../../../host/target.ts'
import { defined } from '../../../model/defined.ts'
import { formatSize } from '../../../model/size.ts'
import { systemReason } from '../../../model/system-reason.ts'
import { CONFIG_NAME } from '../../../policy/fetch/config-name.ts'
import { customFactDirectories, readCustomFacts } from '../../../policy/facts/custom.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { historyDirectory } from '../../../runs/history/directory.ts'

/** One thing that was looked at. */
export interface Check {
  readonly area: 'driftgate' | 'host' | 'resource types' | 'directories' | 'configuration'
  readonly name: string
  /** `limited`: some results would be unknown. */
  readonly state: 'ok' | 'limited'
  readonly found: string
  /** What to do about a limit. */
  readonly advice?: string
}

/** Where the checks look. */
export interface Surroundings {
  readonly target: Target
  readonly uid: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly types: readonly ResourceType[]
  /** The state directory that the operator names. */
  readonly stateDirectory: string | undefined
}

const ok = (area: Check['area'], name: string, found: string): Check => ({ area, name, state: 'ok', found })

/** Files by which container engines mark what they start. */
const CONTAINER_MARKS = ['/run/.containerenv', '/.dockerenv', '/run/systemd/container']

/** The host and the user. */
export function hostChecks({ target, uid }: Surroundings): readonly Check[] {
  const { os, hostname, platform } = target.system
  const limited = (name: string, found: string, advice: string): Check => ({
    area: 'host',
    name,
    state: 'limited',
    found,
    advice,
  })
  const exists = (path: string): boolean => target.files.lstat(path).kind === 'present'
  const hidden = target.files.readText('/proc/1/status').kind === 'unknown'
  return [
    ok('host', 'system', `${hostname}, ${os.id} ${os.version} (${platform} ${target.probe.machine})`),
    uid === 0
      ? ok('host', 'user', 'root')
      : limited('user', `uid ${uid}`, 'passwords, audit rules and files of other users are unknown: run as root'),
    exists('/run/systemd/system')
      ? ok('host', 'service manager', 'systemd')
      : limited('service manager', 'systemd is not running', 'services and timers are unknown: run where systemd runs'),
    CONTAINER_MARKS.some(exists)
      ? limited(
          'container',
          'yes',
          'kernel parameters, modules and audit rules belong to the host of the container: scan that host',
        )
      : ok('host', 'container', 'no'),
    hidden
      ? limited('processes', '/proc hides processes of other users', 'mount /proc without hidepid, or run as root')
      : ok('host', 'processes', 'visible'),
  ]
}

/** The resource types without a provider on this host. */
export function typeChecks({ target, types }: Surroundings): readonly Check[] {
  const lacking = types.flatMap((type): Check[] => {
    const provider = chooseProvider(type, undefined, target)
    if (typeof provider === 'string') return []
    const found = provider.errors.join('; ')
    const advice = `resources of type ${type.type} cannot be evaluated on this host`
    return [{ area: 'resource types', name: type.type, state: 'limited', found, advice }]
  })
  return [ok('resource types', 'with a provider', `${types.length - lacking.length} of ${types.length}`), ...lacking]
}

/** Where driftgate keeps what it needs. */
export function directoryChecks({ env, stateDirectory }: Surroundings): readonly Check[] {
  const state = stateDirectory ?? regularStateDirectory(env['XDG_STATE_HOME'])
  const noHome = 'the user has no home directory'
  return [
    directoryCheck('state', state ?? noHome, 'fixes need it: set --state-dir'),
    directoryCheck('history', state === undefined ? noHome : historyDirectory(undefined, env), 'set --history DIR'),
    directoryCheck('temporary files', tmpdir(), 'bundles are unpacked there: set TMPDIR to another directory'),
  ]
}

/** A directory, or the nearest one above it that exists, must be writable. */
function directoryCheck(name: string, path: string, advice: string): Check {
  const limited = (found: string): Check => ({ area: 'directories', name, state: 'limited', found, advice })
  if (!path.startsWith('/')) return limited(path)
  let nearest = resolve(path)
  while (!existsSync(nearest) && nearest !== '/') nearest = dirname(nearest)
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(nearest)
    const isMissing = nearest !== resolve(path)
    return ok(
      'directories',
      name,
      `${path}${isMissing ? ' (created when needed)' : ''}, ${formatSize(bavail * bsize)} free`,
    )
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return limited(
      nearest === resolve(path) ? `${path}: ${systemReason(error)}` : `${path}: ${nearest}: ${systemReason(error)}`,
    )
  }
}

/** What steers scans that start in the current directory. */
export function configurationChecks({ target, uid, env }: Surroundings): readonly Check[] {
  const config = resolve(process.cwd(), CONFIG_NAME)
  const home = env['XDG_CONFIG_HOME'] ?? (env['HOME'] === undefined ? undefined : `${env['HOME']}/.config`)
  const facts = readCustomFacts(target, customFactDirectories(home), uid)
  return [
    ok('configuration', 'config file', existsSync(config) ? config : `no ${CONFIG_NAME} in the current directory`),
    ...(facts.length === 0 ? [ok('configuration', 'fact files', 'none')] : []),
    ...facts.map((file): Check => {
      const trouble = 'trouble' in file ? file.trouble : undefined
      return {
        area: 'configuration',
        name: file.path,
        state: trouble === undefined ? 'ok' : 'limited',
        found: trouble ?? 'facts loaded',
        ...defined({
          advice: trouble === undefined ? undefined : 'facts of this file are unknown: correct it',
        }),
      }
    }),
  ]
}
