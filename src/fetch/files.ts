import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Problem } from '../core/problem.ts'
import { answeringPath } from '../target/local/hanging.ts'
import { readWhole } from '../target/local/read-whole.ts'
import { RefusedFile } from '../target/local/system-error.ts'
import { CONFIG_NAME } from './config-name.ts'
import { nameBeside } from './name-beside.ts'

/** The largest policy file that is read. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** The bytes of a policy with where relative paths in it start. */
export interface SourceFile {
  /** The file as the operator named it, or below the directory they named. */
  readonly file: string
  readonly bytes: Uint8Array
  readonly workingDirectory: string
  /** Where it really lies, links followed; absent for what is no file. */
  readonly realPath?: string
  /** The directory that everything the policy names must lie in; it may lie anywhere where this is absent. */
  readonly confinedTo?: string
  /** It was written by others, as far as the operator knows. */
  readonly isUntrusted?: boolean
}

/** How policies are got at: a source is a file or a directory. */
export interface PolicySource {
  /** The policy files a source stands for: itself, or those in it by name. */
  readonly list: (source: string) => Promise<readonly string[] | Problem>
  readonly read: (file: string) => Promise<SourceFile | Problem>
  readonly readStdin: () => Promise<SourceFile | Problem>
}

/** The operator's own files and standard input. */
export const localSource: PolicySource = { list, read: (file) => readAs(file, file), readStdin }

async function list(source: string): Promise<readonly string[] | Problem> {
  try {
    // A shell's `*.yaml` names it, too.
    if (!(await stat(answeringPath(source))).isDirectory()) return basename(source) === CONFIG_NAME ? [] : [source]
    const entries = await readdir(source, { withFileTypes: true })
    const files = entries
      .filter(
        (entry) => !entry.isDirectory() && /^[^.].*\.(ya?ml|json)$/i.test(entry.name) && entry.name !== CONFIG_NAME,
      )
      .map(({ name }) => join(source, name))
      .toSorted()
    return files.length > 0 ? files : problem(source, 'the directory holds no .yaml, .yml or .json file')
  } catch (error) {
    return problem(source, `cannot be read: ${reasonOf(error)}`)
  }
}

/** Reads the policy at a path under the name that the operator knows it by. */
export async function readAs(file: string, path: string): Promise<SourceFile | Problem> {
  const read = await readFileAs(file, path)
  return 'reason' in read ? problem(file, read.reason) : read
}

/** Reads a file that a policy names, or tells why that fails as the end of a sentence about the file. */
export async function readBeside(
  { source, workingDirectory }: { readonly source: string; readonly workingDirectory: string },
  path: string,
): Promise<SourceFile | { readonly reason: string }> {
  return await readFileAs(nameBeside(source, path), resolve(workingDirectory, path))
}

async function readFileAs(file: string, path: string): Promise<SourceFile | { readonly reason: string }> {
  try {
    const bytes = readWhole(path, MAX_FILE_BYTES)
    return { file, bytes, workingDirectory: dirname(resolve(path)), realPath: await realpath(path) }
  } catch (error) {
    return { reason: `cannot be read: ${reasonOf(error)}` }
  }
}

async function readStdin(): Promise<SourceFile | Problem> {
  try {
    const bytes = await limited(process.stdin)
    return bytes === undefined ? problem('-', TOO_LARGE) : { file: '-', bytes, workingDirectory: process.cwd() }
  } catch (error) {
    return problem('-', `standard input cannot be read: ${reasonOf(error)}`)
  }
}

/** Everything a stream gives, or undefined once that is more than a policy may be. */
async function limited(stream: AsyncIterable<unknown>): Promise<Uint8Array | undefined> {
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

const TOO_LARGE = `is larger than the ${MAX_FILE_BYTES / 1024 / 1024} MiB a policy may have`

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

/** Why a file cannot be read, in a few words. */
export function reasonOf(error: unknown): string {
  if (error instanceof RefusedFile) return error.message
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined) return REASONS[code] ?? code
  return error instanceof Error ? error.message : String(error)
}
