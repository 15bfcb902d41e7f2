import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs scripts/package.mjs. Throws an `Error` with what it says where it fails. */
export function makePackages(out: string, ...options: readonly string[]): void {
  execFileSync(process.execPath, [join(PROJECT, 'scripts/package.mjs'), '--out', out, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
}

/** The packages made of what is built, once for the file of tests that asks; they are there when its tests run. */
export function packagesForTests(...options: readonly string[]): {
  readonly directory: string
  readonly file: (end: string) => string
} {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-packages-'))
  beforeAll(() => makePackages(directory, ...options), 300_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  return {
    directory,
    file: (end) => join(directory, readdirSync(directory).find((name) => name.endsWith(end)) ?? `missing-${end}`),
  }
}

/** Puts a program into a root directory with the libraries it is linked with, and nothing else. Gives its path in there. */
export function plantProgram(root: string, program: string): string {
  plantLibraries(root, program)
  copyFileSync(program, join(root, 'driftgate'))
  return '/driftgate'
}

/** Puts the libraries that a program is linked with into a root directory. */
export function plantLibraries(root: string, program: string): void {
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(?:=> )?(\/\S+) \(0x/g)
  for (const [, library = ''] of libraries) {
    mkdirSync(join(root, dirname(library)), { recursive: true })
    copyFileSync(library, join(root, library))
  }
}
