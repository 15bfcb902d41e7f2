import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { formatSize } from '../../../model/size.ts'
import type { Problem } from '../../../model/problem.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { archiveFormat } from '../../../host/archive/archive-format.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { findManifest } from '../../../policy/fetch/bundle.ts'
import { type Bundle, packBundle } from '../../../policy/fetch/pack-bundle.ts'
import type { NamedFiles } from '../../../engine/inspect/named-files.ts'
import { reportProblems } from '../../errors.ts'
import { filesNamedBy } from '../../files-named-by.ts'
import type { Io } from '../../output/io.ts'

export interface PackSettings {
  readonly data: readonly string[]
  /** Files that are packed although they look private. */
  readonly allowPrivate: readonly string[]
}

/**
 * Packs a policy with the files that a scan would open, and reports omitted files on standard error. Undefined if the
 * policy is invalid, which is reported. Throws an `OperatorError` if a file cannot be packed.
 */
export async function packPolicy(source: string, settings: PackSettings, io: Io): Promise<Bundle | undefined> {
  const policy = policyOf(source)
  const found = policy === undefined ? NOTHING : await namedIn(policy, settings, io)
  if (found === undefined) return undefined
  await reportProblems(found.hints, io)
  const named = found.files.map(({ path, position: { file, line } }) => ({ path, by: `${file}:${line}` }))
  const isPacked = archiveFormat(source) !== undefined
  const allowPrivate = settings.allowPrivate.map((path) => (isPacked ? path : resolve(path)))
  const bundle = await packBundle(source, { named, allowPrivate })
  if ('message' in bundle) throw new OperatorError(bundle.message)
  for (const { path, reason } of bundle.leftOut) io.say(`driftgate: omitted ${escapeForTerminal(path)}: ${reason}\n`)
  return bundle
}

const NOTHING: NamedFiles = { files: [], hints: [] }

/** File whose references are packed; undefined if the source has no such file. */
function policyOf(source: string): string | undefined {
  if (source.startsWith('@') || archiveFormat(source) !== undefined) return undefined
  const stats = statSync(source, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return stats?.isFile() === true ? source : undefined
  const manifest = findManifest(source)
  return typeof manifest === 'string' ? join(source, manifest) : undefined
}

async function namedIn(policy: string, { data }: PackSettings, io: Io): Promise<NamedFiles | undefined> {
  const found = await filesNamedBy([policy], { data })
  if ('files' in found) return found
  await reportProblems([...found.problems, ...requiredHint(found.problems, policy)], io)
  return undefined
}

/** Matches the annotation in the source line of a problem. */
const REQUIRED = /^\s*#\s*@required?\b/

/** Advice for required data that the policy lacks; empty without such a problem. */
export function requiredHint(problems: readonly Problem[], source: string): readonly Problem[] {
  if (!problems.some(({ sourceLine = '' }) => REQUIRED.test(sourceLine))) return []
  const message = `${source} lacks required data: add values to the policy, or pass --data to the agents of its hosts and to this command`
  return [{ severity: 'warning', message }]
}

/** One line per file of a bundle: size, SHA-256, path, and the reference to it. */
export function bundleLines({ entries }: Bundle): string {
  return entries
    .map(({ path, sizeBytes, sha256, by }) => {
      const place = escapeForTerminal(`${path}  ${by}`)
      return `  ${formatSize(sizeBytes).padStart(8)}  ${sha256}  ${place}\n`
    })
    .join('')
}
