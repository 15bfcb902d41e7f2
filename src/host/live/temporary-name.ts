import { hash, randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { errorCode } from './system-error.ts'
import { isTrusted } from './trust.ts'

// Common file systems limit names to 255 bytes; the rest is for the dots, the word and the random part.
const MAX_BASE_BYTES = 200

// The pid of its creator, the PID namespace, and random digits.
const SHAPE = /^(\..*\.driftgate-)([0-9a-f]{6})([0-9a-f]{4})[0-9a-f]{6}$/s
const RANDOM_BYTES = 3

/** A unique, hidden and recognisable name for a temporary file beside the file `base`. */
export function temporaryName(base: string): string {
  const writer = process.pid.toString(16).padStart(6, '0') + processNamespace()
  return `${prefixOf(base)}${writer}${randomBytes(RANDOM_BYTES).toString('hex')}`
}

function prefixOf(base: string): string {
  let kept = ''
  for (const character of base) {
    if (Buffer.byteLength(kept) + Buffer.byteLength(character) > MAX_BASE_BYTES) break
    kept += character
  }
  return `.${kept}.driftgate-`
}

/** Whether `temporaryName` made the name. */
export function isTemporaryName(name: string): boolean {
  return SHAPE.test(name)
}

/**
 * Removes temporary files of killed processes from a directory: all, or those of the file `base`. Files of other users,
 * and of processes in other PID namespaces, stay.
 */
export function removeLeftovers(directory: string, base?: string): void {
  for (const name of readdirSync(directory)) {
    const [, prefix, pid = '', namespace] = SHAPE.exec(name) ?? []
    if (prefix === undefined || (base !== undefined && prefix !== prefixOf(base))) continue
    if (namespace !== processNamespace() || isRunning(Number.parseInt(pid, 16))) continue
    const path = join(directory, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() === true && isTrusted(stats.uid)) rmSync(path, { force: true })
  }
}

let known: string | undefined

/** A pid is meaningful only on one host, in one namespace. */
function processNamespace(): string {
  known ??= hash('sha256', `${hostname()} ${linkOf('/proc/self/ns/pid')}`, 'hex').slice(0, 4)
  return known
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  if (pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}
