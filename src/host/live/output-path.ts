import { fstatSync, lstatSync, readlinkSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { whoCanMove } from './who-can-change.ts'

/** As many as Linux follows. @see path_resolution(7) */
const MOST_LINKS = 40

/** Where a path for output leads: to a file of that path, or to what this process has open already. */
export type OutputPath =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'open'; readonly descriptor: number }

/**
 * Follows the links of a path that the operator names for output, as a shell does for `>`. Throws for a link that others could change,
 * and for a descriptor that is not open for writing.
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

/** The descriptor of this process that a path is another name of. */
function descriptorOf(path: string): number | undefined {
  const standard = STANDARD[/^\/dev\/(std(?:in|out|err))$/.exec(path)?.[1] ?? '']
  if (standard !== undefined) return standard
  const [, owner, number] = /^\/(?:dev|proc\/(self|\d+))\/fd\/(\d+)$/.exec(path) ?? []
  if (number === undefined) return undefined
  return owner === undefined || owner === 'self' || Number(owner) === process.pid ? Number(number) : undefined
}

/**
 * Whether what is written belongs behind what was written there already. A pipe or a terminal is opened once more instead, so that its
 * reader can be waited for. Throws where nothing can be written.
 */
function isSharedOutput(descriptor: number): boolean {
  const stats = fstatSync(descriptor)
  if (!stats.isFile() && !stats.isSocket()) return false
  writeSync(descriptor, '')
  return true
}
