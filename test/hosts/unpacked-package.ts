import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'driftgate/hosts')
const KEPT_MS = 24 * 60 * 60_000

/**
 * The directory that `npm install --global` makes of the archive npm would publish, without packages it depends on: the command
 * line is one bundle. Packed once, however many hosts it is installed in, until a file that is published has changed.
 */
export function unpackedPackage(): string {
  const path = join(CACHE, `package-${digestOfPublished()}`)
  if (existsSync(path)) return path
  mkdirSync(CACHE, { recursive: true })
  removeOld()
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-package.'))
  try {
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', unfinished]
    const archive = execFileSync('npm', pack, { cwd: PROJECT, encoding: 'utf8' }).trim()
    const unpack = ['-xz', '--no-same-owner', '-C', unfinished, '-f', join(unfinished, archive)]
    execFileSync('tar', unpack)
    renameSync(join(unfinished, 'package'), path)
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return path
}

function digestOfPublished(): string {
  const { files }: { files: readonly string[] } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  const hash = createHash('sha256')
  const add = (path: string): void => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).toSorted()) add(join(path, name))
    else hash.update(`${path.slice(PROJECT.length)}\0`).update(readFileSync(path))
  }
  for (const name of ['package.json', ...files.filter((file) => !file.startsWith('!'))]) add(join(PROJECT, name))
  return hash.digest('hex').slice(0, 16)
}

function removeOld(): void {
  for (const name of readdirSync(CACHE).filter((each) => each.startsWith('package-'))) {
    const path = join(CACHE, name)
    if (Date.now() - statSync(path).ctimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}
