import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Where a consumer comes from: a package of a registry at one version, or a program of the system. */
export type Registry = 'npm' | 'PyPI' | 'Maven Central' | 'Debian'

/** A consumer that is there, or why it is not. */
export type Installed = { readonly directory: string } | { readonly missing: string }

const INSTALL_TIMEOUT_MS = 420_000

/** What was asked for, by its directory, and the last of each registry. */
const asked = new Map<string, Promise<Installed>>()
const last = new Map<Registry, Promise<Installed>>()

/**
 * Installs a package into the cache of the user, once: one of a registry at a time, and the registries beside each other. A
 * registry that cannot be reached is a reason to skip.
 */
export function install(registry: Registry, name: string, version: string): Promise<Installed> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'driftgate/consumers')
  const directory = join(cache, `${name}-${version}`.replaceAll(/[^\w.-]/g, '_'))
  const before = asked.get(directory)
  if (before !== undefined) return before
  const installed = (async () => {
    await last.get(registry)
    return installInto(registry, { directory, name, version })
  })()
  asked.set(directory, installed)
  last.set(registry, installed)
  return installed
}

async function installInto(registry: Registry, wanted: Package): Promise<Installed> {
  const { directory, name, version } = wanted
  if (existsSync(join(directory, 'installed'))) return { directory }
  try {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    await INSTALLERS[registry](wanted)
    writeFileSync(join(directory, 'new'), '')
    renameSync(join(directory, 'new'), join(directory, 'installed'))
    return { directory }
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : ''
    return { missing: `${name} ${version} cannot be installed from ${registry}: ${said ?? ''}` }
  }
}

interface Package {
  readonly directory: string
  readonly name: string
  readonly version: string
}

const INSTALLERS: Readonly<Record<Registry, (wanted: Package) => Promise<void>>> = {
  npm({ directory, name, version }) {
    return run('npm', [
      'install',
      '--prefix',
      directory,
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${version}`,
    ])
  },
  async PyPI({ directory, name, version }) {
    await run('python3', ['-m', 'venv', directory])
    await run(join(directory, 'bin/pip'), ['install', '--quiet', `${name}==${version}`])
  },
  'Maven Central'({ directory, name, version }) {
    const [group = '', artifact = ''] = name.split(':')
    const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies><dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency></dependencies></project>`
    writeFileSync(join(directory, 'pom.xml'), pom)
    return run('mvn', [
      '-q',
      '-B',
      '-f',
      join(directory, 'pom.xml'),
      'dependency:copy-dependencies',
      '-DoutputDirectory=lib',
    ])
  },
  Debian({ name }) {
    return run(name, ['--version'])
  },
}

async function run(program: string, args: readonly string[]): Promise<void> {
  // The directory of the tests is another one every while.
  await promisify(execFile)(program, args, { timeout: INSTALL_TIMEOUT_MS, cwd: homedir() })
}
