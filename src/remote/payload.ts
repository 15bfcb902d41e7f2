import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../model/operator-error.ts'
import { isWithin } from '../model/path-rules.ts'
import { isAddress, isBundle } from '../policy/fetch/remote.ts'
import { localSource, reasonOf, sourceWith } from '../policy/fetch/files.ts'
import { whyPrivate } from '../policy/fetch/private-file.ts'
import { homeOfAccount, homeOfEnvironment } from '../host/live/own-home.ts'
import { readWhole } from '../host/live/read-whole.ts'
import type { Order } from './protocol.ts'

/** Limits of a policy's files; a larger folder also holds unrelated files. */
const MOST_FILES = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Files that are never part of a policy. */
const LEFT_OUT = /^(\.|node_modules$)/

/** Scan options that name input files. */
const READ = ['data', 'facts', 'vars', 'waivers', 'env-file', 'baseline', 'plan'] as const

/** A job with the contents of its files. */
export interface Payload {
  readonly order: Order
  /** In the order of `order.files`. */
  readonly contents: readonly Buffer[]
}

/** Policies from which referenced files and folders (absolute paths) are collected. */
export interface PayloadSources {
  /** Local policies, and policies passed as text. */
  readonly policies: readonly string[]
  readonly texts: ReadonlyMap<string, string>
  /** First private file that may be referenced, and why it is private. */
  readonly path: string
  readonly reason: string
}

export interface PayloadOf extends Pick<Order, 'command' | 'words'> {
  /** Policies. */
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly texts?: ReadonlyMap<string, string>
  /** Absolute paths of plugin code. */
  readonly code?: readonly string[]
  /** Replacement for `-` among the operands; default: stdin of this process. */
  readonly stdin?: AsyncIterable<unknown>
  /** Returns the paths that the policies refer to; called only if a private file is among the files to send. */
  readonly namedBy: (asked: PayloadSources) => Promise<readonly string[]>
  /** Called for each private file that is not sent, with the reason as the end of a sentence. */
  readonly onLeftOut: (path: string, reason: string) => void
}

/**
 * Packs the policies with the folders that contain them, and the files of options. Symbolic links are replaced by their
 * targets. From a shared folder, such as a home or /tmp, only files that policies and data refer to are packed;
 * unreferenced private files are never packed. Throws an `OperatorError` if the payload is too large or a file is
 * unreadable.
 */
export async function packPayload({
  command,
  operands,
  words,
  options,
  texts = new Map(),
  code = [],
  stdin = process.stdin,
  namedBy,
  onLeftOut,
}: PayloadOf): Promise<Payload> {
  const packing: Packing = new Map()
  const packed = createPacker(packing)
  for (const [name, path] of filesOf(options)) {
    if (path === '-') throw new OperatorError(`standard input is not sent to targets: name a file for --${name}`)
    packed.file(path)
  }
  const policies = operands.filter(
    (path) => path !== '-' && !texts.has(path) && !isAddress(path) && !path.startsWith('@'),
  )
  for (const path of policies.filter(isBundle)) packed.file(path)
  const plain = policies.filter((path) => !isBundle(path))
  for (const path of plain) for (const file of await policiesOf(path)) packed.file(file)
  const written = operands.includes('-') ? new Map([...texts, ['-', await textOf(stdin)]]) : texts
  for (const path of plain) packed.folderOf(path, [...written.values()])
  for (const path of code) packed.code(path)
  const [doubt] = packed.doubtful
  if (doubt !== undefined) {
    const [path, reason] = doubt
    const named = await namedBy({
      policies: operands.filter((it) => plain.includes(it) || written.has(it)),
      texts: written,
      path,
      reason,
    })
    for (const [path, reason] of packed.doubtful) {
      if (named.some((name) => leadsInto(path, name))) packed.file(path)
      else onLeftOut(path, reason)
    }
  }
  const entries = [...packing].map(([path, { bytes, mode }]) => ({ path, bytes, mode }))
  return {
    order: {
      command,
      directory: process.cwd(),
      operands,
      words,
      options,
      texts: [...written],
      files: entries.map(({ path, bytes: { length: size }, mode }) => ({ path, size, mode })),
      ...(code.length === 0 ? {} : { code: { paths: code, sha256: digestOfCode(code, entries) } }),
    },
    contents: entries.map(({ bytes }) => bytes),
  }
}

/** SHA-256, in hexadecimal, of the names and contents of the files at or below these paths. */
export function digestOfCode(
  code: readonly string[],
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): string {
  const hash = createHash('sha256')
  for (const { path, bytes } of files) {
    if (code.some((each) => isWithin(path, each)))
      hash.update(`${JSON.stringify([path, bytes.length])}\n`).update(bytes)
  }
  return hash.digest('hex')
}

function filesOf(options: PayloadOf['options']): readonly (readonly [option: string, path: string])[] {
  return READ.flatMap((name) =>
    [options[name] ?? []]
      .flat()
      .flatMap((path) => (typeof path === 'string' && !isAddress(path) ? [[name, path]] : [])),
  )
}

/** Policy files, which are always sent. The remote side reports errors of a folder. */
async function policiesOf(path: string): Promise<readonly string[]> {
  if (!isDirectory(path)) return [path]
  const listed = await localSource.list(path)
  return 'message' in listed ? [] : listed
}

/** True if `name` is the path or below it, also through symbolic links. */
function leadsInto(path: string, name: string): boolean {
  const real = realPathOf(name)
  return [path, realPathOf(path)].some((file) => [name, real].some((it) => isWithin(file, it)))
}

function realPathOf(name: string): string {
  try {
    return realpathSync(name)
  } catch {
    return name
  }
}

async function textOf(stdin: AsyncIterable<unknown>): Promise<string> {
  const read = await sourceWith(stdin).readStdin()
  if ('message' in read) throw new OperatorError(read.message)
  return Buffer.from(read.bytes).toString('utf8')
}

type Packing = Map<string, { readonly bytes: Buffer; readonly mode: number }>

interface Packer {
  /** Private files that were not packed, with the reasons. */
  readonly doubtful: ReadonlyMap<string, string>
  /** Packs one file; the remote side reports a missing one. */
  readonly file: (path: string, isNamed?: boolean) => void
  /** Packs the files next to a policy, or in a folder of policies. */
  readonly folderOf: (path: string, texts: readonly string[]) => void
  /** Packs a file, or all files of a folder, of a plugin's code. */
  readonly code: (path: string) => void
}

function createPacker(packing: Packing): Packer {
  const doubtful = new Map<string, string>()
  let total = 0
  const file = (named: string, isNamed = true): void => {
    const path = resolve(named)
    if (packing.has(path) || (!isNamed && doubtful.has(path))) return
    try {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (stats === undefined || !stats.isFile()) return
      const bytes = readWhole(path, MOST_BYTES)
      // Modes are ignored here: files of operators are often readable by the owner only.
      const reason = isNamed ? undefined : whyPrivate(path, bytes, stats.mode | 0o044)
      if (reason !== undefined) return void doubtful.set(path, reason)
      packing.set(path, { bytes, mode: stats.mode & 0o777 })
      total += bytes.length
    } catch (error) {
      // The remote side reports an optional neighbour file if it is needed.
      if (!isNamed) return
      throw new OperatorError(`${named} cannot be sent: ${reasonOf(error)}`, { cause: error })
    }
    if (packing.size > MOST_FILES || total > MOST_BYTES) throw new OperatorError(tooMuch(dirname(path)))
  }
  /** `above` are the real paths of the parent folders; they prevent endless recursion through links. */
  const tree = (path: string, above: readonly string[]): void => {
    const real = realpathSync(path)
    if (above.includes(real)) return
    for (const name of readdirSync(path)) if (!LEFT_OUT.test(name)) anything(join(path, name), [...above, real])
  }
  const anything = (path: string, above: readonly string[]): void => {
    if (isDirectory(path)) tree(path, above)
    else file(path, false)
  }
  return {
    doubtful,
    file,
    code(path) {
      if (!isDirectory(path)) return file(path)
      if (!isOwnFolder(path)) {
        throw new OperatorError(`${path} contains more than a plugin: move the plugin to its own package directory`)
      }
      tree(path, [])
    },
    folderOf(path, texts) {
      const folder = isDirectory(path) ? resolve(path) : dirname(resolve(path))
      const said = [...texts, ...[...packing.values()].map(({ bytes }) => bytes.toString('latin1'))].join('\n')
      try {
        for (const [above] of said.matchAll(/(?:\.\.\/)+[\w.-]+/g)) anything(join(folder, above), [])
        if (isOwnFolder(folder)) tree(folder, [])
        else {
          const mentioned = readdirSync(folder).filter((name) => !LEFT_OUT.test(name) && said.includes(name))
          for (const name of mentioned) anything(join(folder, name), [])
        }
      } catch (error) {
        if (error instanceof OperatorError) throw error
        throw new OperatorError(`${folder} cannot be sent: ${reasonOf(error)}`, { cause: error })
      }
    },
  }
}

function tooMuch(folder: string): string {
  const most = `${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MiB`
  return `the policies and plugins need more than ${most}, including ${folder}: move them to a directory with only the files that they need, or make a bundle`
}

/** True if a folder can belong to a policy; a home and world-writable folders hold unrelated files. */
function isOwnFolder(folder: string): boolean {
  const stats = statSync(folder)
  return !['/', '/etc', homeOfEnvironment() ?? homeOfAccount()].includes(folder) && (stats.mode & 0o002) === 0
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
