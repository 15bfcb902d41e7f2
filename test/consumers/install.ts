import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where a consumer comes from: a package of a registry at one version, or a program of the system. */
export type Registry = 'npm' | 'PyPI' | 'Maven Central' | 'Debian'

/** A consumer that is there, or why it is not. */
export type Installed = { readonly directory: string } | { readonly missing: string }

const INSTALL_TIMEOUT_MS = 420_000

/** Installs a package into the cache of the user, once. A registry that cannot be reached is a reason to skip. */
export function install(registry: Registry, name: string, version: string): Installed {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'driftgate/consumers')
  const directory = join(cache, `${name}-${version}`.replaceAll(/[^\w.-]/g, '_'))
  if (existsSync(join(directory, 'installed'))) return { directory }
  try {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    INSTALLERS[registry]({ directory, name, version })
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

const INSTALLERS: Readonly<Record<Registry, (wanted: Package) => void>> = {
  npm({ directory, name, version }) {
    run('npm', ['install', '--prefix', directory, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`])
  },
  PyPI({ directory, name, version }) {
    run('python3', ['-m', 'venv', directory])
    run(join(directory, 'bin/pip'), ['install', '--quiet', `${name}==${version}`])
  },
  'Maven Central'({ directory, name, version }) {
    const [group = '', artifact = ''] = name.split(':')
    const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies><dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency></dependencies></project>`
    writeFileSync(join(directory, 'pom.xml'), pom)
    run('mvn', ['-q', '-B', '-f', join(directory, 'pom.xml'), 'dependency:copy-dependencies', '-DoutputDirectory=lib'])
  },
  Debian({ name }) {
    run(name, ['--version'])
  },
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { timeout: INSTALL_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
}
