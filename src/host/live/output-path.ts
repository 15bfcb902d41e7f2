import { fstatSync, lstatSync, readlinkSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { whoCanMove } from './who-can-change.ts'

/** The limit of Linux. @see path_resolution(7) */
const MOST_LINKS = 40

/** The destination of an output path: a file, or an open descriptor of this process. */
export type OutputPath =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'open'; readonly descriptor: number }

/**
 * Follows the links of an output path, as a shell does for `>`. Throws for a link that other users can change, and for
 * a descriptor that is not open for writing.
 */
export function followOutputPath(path: string): OutputPath {
  let at = resolve(path)
  for (let links = 0; links <= MOST_LINKS; links++) {
    const descriptor = descriptorOf(at)
    if (descriptor !== undefined)
      return isSharedOutput(descriptor) ? { kind: 'open', descriptor } : { kind: 'file', path }
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return { kind: 'file', path: at }
    const others = whoCanMove(at)
    if (others !== undefined) throw new Error(`the link ${at} is not followed: ${others}`)
    at = resolve(dirname(at), readlinkSync(at))
  }
  throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
}

const STANDARD: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2 }

/** The descriptor of this process that a path such as /dev/stdout refers to. */
function descriptorOf(path: string): number | undefined {
  const standard = STANDARD[/^\/dev\/(std(?:in|out|err))$/.exec(path)?.[1] ?? '']
  if (standard !== undefined) return standard
  const [, owner, number] = /^\/(?:dev|proc\/(self|\d+))\/fd\/(\d+)$/.exec(path) ?? []
  if (number === undefined) return undefined
  return owner === undefined || owner === 'self' || Number(owner) === process.pid ? Number(number) : undefined
}

/**
 * Whether output is appended to a shared offset. A pipe or terminal is opened again instead, so that its reader can be
 * waited for. Throws if it is not writable.
 */
function isSharedOutput(descriptor: number): boolean {
  const stats = fstatSync(descriptor)
  if (!stats.isFile() && !stats.isSocket()) return false
  writeSync(descriptor, '')
  return true
}
