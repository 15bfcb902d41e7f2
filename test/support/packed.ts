import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** What a project that uses the package installs beside it. */
const COMPANIONS = ['typescript', '@types/node']

/**
 * Installs this package in a project as npm would: unpacked from the archive that `npm pack` makes, with what it depends
 * on beside it. Nothing is fetched; the packages beside it are links to those that are installed here.
 */
export function installPacked(directory: string): void {
  const pack = ['pack', '--offline', '--no-update-notifier', '--ignore-scripts', '--silent']
  const archive = execFileSync('npm', [...pack, '--pack-destination', directory], {
    cwd: PROJECT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const modules = join(directory, 'node_modules')
  const installed = join(modules, 'driftgate')
  mkdirSync(installed, { recursive: true })
  const unpack = ['-xz', '--strip-components=1', '--no-same-owner', '-f', join(directory, archive.trim())]
  execFileSync('tar', [...unpack, '-C', installed])
  for (const name of [...dependencies(), ...COMPANIONS]) link(name, modules)
}

function dependencies(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  return Object.keys((manifest as { dependencies: Readonly<Record<string, string>> }).dependencies)
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules', name), join(modules, name))
}

/** Puts the sources of an example plugin into a directory; what was built in its place stays behind. */
export function copyPlugin(name: string, directory: string): void {
  const source = join(PROJECT, 'examples/plugins', name)
  cpSync(source, directory, { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) })
}

/** Compiles the TypeScript of a project; an empty answer means that nothing is wrong with it. */
export function compile(directory: string, options: readonly string[] = []): string {
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  try {
    return execFileSync(process.execPath, [tsc, '-p', directory, ...options], { encoding: 'utf8' })
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout)
    throw error
  }
}
