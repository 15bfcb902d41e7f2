import { realpathSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, posix, resolve } from 'node:path'
import process from 'node:process'
import type { Problem } from '../../model/problem.ts'
import { answeringPath } from '../../host/live/hanging.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode, RefusedFile } from '../../host/live/system-error.ts'
import { CONFIG_NAME } from './config-name.ts'

/** Maximum size of a policy file. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** The bytes of a policy with the base directory of its relative paths. */
export interface SourceFile {
  /** The file name as the operator wrote it, or below the directory the operator wrote. */
  readonly file: string
  readonly bytes: Uint8Array
  readonly workingDirectory: string
  /** Its path with links resolved; undefined if it is not a file. */
  readonly realPath?: string
  /** The directory that all files of the policy must be in; no restriction if undefined. */
  readonly confinedTo?: string
  /** Whether the operator declared it untrusted. */
  readonly isUntrusted?: boolean
}

/** Access to policies: a source is a file or a directory. */
export interface PolicySource {
  /** The policy files of a source: itself, or those in the directory, sorted by name. */
  readonly list: (source: string) => Promise<readonly string[] | Problem>
  readonly read: (file: string) => Promise<SourceFile | Problem>
  readonly readStdin: () => Promise<SourceFile | Problem>
}

/** Local files and standard input. */
export const localSource: PolicySource = {
  list,
  read: (file) => readAs(file, file),
  readStdin: () => readStream(process.stdin),
}

/** Local files, with another standard input. */
export function sourceWith(stdin: AsyncIterable<unknown>): PolicySource {
  return { ...localSource, readStdin: () => readStream(stdin) }
}

/** Adds policies given as texts to a source; `-` replaces standard input. */
export function withTexts(texts: ReadonlyMap<string, string>, files: PolicySource): PolicySource {
  return {
    ...files,
    list: async (source) => (texts.has(source) ? [source] : files.list(source)),
    async read(file) {
      const text = texts.get(file)
      if (text === undefined) return files.read(file)
      return ofText(file, text)
    },
    readStdin: async () => {
      const text = texts.get('-')
      return text === undefined ? files.readStdin() : ofText('-', text)
    },
  }
}

function ofText(file: string, text: string): SourceFile {
  return { file, bytes: Buffer.from(text), workingDirectory: process.cwd() }
}

// Standard input has no directory, so no file is beside it; a device cannot contain files.
const NOWHERE = '/dev/null'

/** Confines untrusted policies to their own directories. Refuses a symbolic link to another directory. */
export function untrustedSource(source: PolicySource): PolicySource {
  const confine = (read: SourceFile | Problem): SourceFile | Problem => {
    if ('message' in read) return read
    if (read.confinedTo !== undefined) return { ...read, isUntrusted: true }
    if (read.realPath === undefined) return { ...read, confinedTo: NOWHERE, isUntrusted: true }
    const directory = dirname(resolve(read.file))
    if (dirname(read.realPath) === realpathSync(directory)) return { ...read, confinedTo: directory, isUntrusted: true }
    const message = `${read.file}: is a symbolic link to another directory, which --untrusted does not follow`
    return { message, severity: 'error' }
  }
  return {
    list: source.list,
    read: async (file) => confine(await source.read(file)),
    readStdin: async () => confine(await source.readStdin()),
  }
}

async function list(source: string): Promise<readonly string[] | Problem> {
  try {
    // The pattern `*.yaml` of a shell matches it, too.
    if (!(await stat(answeringPath(source))).isDirectory()) return basename(source) === CONFIG_NAME ? [] : [source]
    const entries = await readdir(source, { withFileTypes: true })
    const files = entries
      .filter(
        (entry) =>
          !entry.isDirectory() && /^[^.].*(?<!\.schema)\.(ya?ml|json)$/i.test(entry.name) && entry.name !== CONFIG_NAME,
      )
      .map(({ name }) => join(source, name))
      .toSorted()
    return files.length > 0 ? files : problem(source, 'the directory has no .yaml, .yml or .json file')
  } catch (error) {
    return problem(source, `cannot be read: ${reasonOf(error)}`)
  }
}

/** Reads the policy at a path, under the name that the operator knows. */
export async function readAs(file: string, path: string): Promise<SourceFile | Problem> {
  const read = await readFileAs(file, path)
  return 'reason' in read ? problem(file, read.reason) : read
}

/** Separates the name of a bundle from that of a file in it. */
const IN_BUNDLE = '!/'

/** The operator's name for a file that a policy refers to, relative to the name of the policy. */
export function nameBeside(policy: string, path: string): string {
  if (path.startsWith('/')) return path
  const start = policy.lastIndexOf(IN_BUNDLE)
  const bundle = start < 0 ? '' : policy.slice(0, start + IN_BUNDLE.length)
  return bundle + posix.join(posix.dirname(policy.slice(bundle.length)), path)
}

/** The id of a policy that does not set one. */
export function defaultId(file: string): string {
  return file === '-' ? 'stdin' : basename(file, extname(file))
}

/** Why a file cannot be read, as the end of a sentence about it. */
export interface Unreadable {
  readonly reason: string
  /** Whether the file does not exist. */
  readonly isAbsent: boolean
}

export async function readBeside(
  { source, workingDirectory }: { readonly source: string; readonly workingDirectory: string },
  path: string,
): Promise<SourceFile | Unreadable> {
  return await readFileAs(nameBeside(source, path), resolve(workingDirectory, path))
}

async function readFileAs(file: string, path: string): Promise<SourceFile | Unreadable> {
  try {
    const bytes = readWhole(path, MAX_FILE_BYTES)
    return { file, bytes, workingDirectory: dirname(resolve(path)), realPath: await realpath(path) }
  } catch (error) {
    const code = errorCode(error)
    return { reason: `cannot be read: ${reasonOf(error)}`, isAbsent: code === 'ENOENT' || code === 'ENOTDIR' }
  }
}

async function readStream(stdin: AsyncIterable<unknown>): Promise<SourceFile | Problem> {
  try {
    const bytes = await readLimited(stdin)
    return bytes === undefined ? problem('-', TOO_LARGE) : { file: '-', bytes, workingDirectory: process.cwd() }
  } catch (error) {
    return problem('-', `cannot read standard input: ${reasonOf(error)}`)
  }
}

/** The content of a stream; undefined if it exceeds the maximum size of a policy. */
async function readLimited(stream: AsyncIterable<unknown>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))
    size += bytes.length
    if (size > MAX_FILE_BYTES) return undefined
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

const TOO_LARGE = `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB, the limit of a policy`

function problem(file: string, message: string): Problem {
  return { message: `${file}: ${message}`, severity: 'error' }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EIO: 'input/output error',
  EMFILE: 'too many open files',
}

/** The reason of a read error in a few words. */
export function reasonOf(error: unknown): string {
  if (error instanceof RefusedFile) return error.message
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined) return REASONS[code] ?? code
  return error instanceof Error ? error.message : String(error)
}
