import { writeFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dataNeeds } from '../../../engine/inspect/data-needs.ts'
import type { NamedFiles } from '../../../engine/inspect/named-files.ts'
import { soundnessOf, withChildren } from '../../../engine/inspect/soundness.ts'
import { entryForPrograms } from '../../../fleet/for-programs.ts'
import { lastOfEach, type StoredAssignment } from '../../../fleet/nats/assignments.ts'
import { selectEntries } from '../../../fleet/nats/audit-selection.ts'
import { bundledPolicy } from '../../../fleet/nats/bundled-policy.ts'
import { readAddressee } from '../../../fleet/nats/names.ts'
import { asOperator } from '../../../fleet/nats/operator.ts'
import { unpublish } from '../../../fleet/nats/unpublish.ts'
import { withdraw } from '../../../fleet/nats/withdraw.ts'
import { archiveFormat } from '../../../host/archive/archive-format.ts'
import { isSha256, sha256 } from '../../../host/signing/digest.ts'
import { defined } from '../../../model/defined.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import type { Problem } from '../../../model/problem.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { formatSize } from '../../../model/size.ts'
import { findManifest } from '../../../policy/fetch/bundle.ts'
import { type Bundle, packBundle } from '../../../policy/fetch/pack-bundle.ts'
import { createTemporaryDirectories } from '../../../policy/fetch/temporary-directories.ts'
import { loadDocuments } from '../../../policy/load.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import { loadTypes } from '../../../subjects/index.ts'
import type { Invocation } from '../../command.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { filesNamedBy } from '../../files-named-by.ts'
import { parseSince } from '../../options/since.ts'
import type { Io } from '../../output/io.ts'
import type { AssignFlags, AuditFlags, PublishFlags, RecordFlags, UnpublishFlags, WithdrawFlags } from './assigning.ts'
import { showAssignments, showAudit } from './show-assigning.ts'
import { whoAmI } from './who-am-i.ts'

const FLEET = 'fleet'

/** Publishes policies, all or none. Throws an `OperatorError`, as do the other commands here. */
export async function runPublish({ operands, options }: Invocation<PublishFlags>, io: Io): Promise<number> {
  const { data, 'allow-private': allowPrivate, 'dry-run': isDry } = options
  const packed: { readonly name: string; readonly bundle: Bundle }[] = []
  let isSound = true
  for (const source of operands) {
    const bundle = await packPolicy(source, { data, allowPrivate }, io)
    if (bundle === undefined || !(await isSoundBundle({ source, bytes: bundle.bytes, data }, io))) isSound = false
    else packed.push({ name: (await bundledPolicy(bundle.bytes)).name, bundle })
  }
  if (!isSound) return EXIT.notPerformed
  if (isDry) {
    for (const { name, bundle } of packed)
      await io.print(`${sha256(bundle.bytes)}  ${name}, not published\n${bundleLines(bundle)}`)
    return EXIT.ok
  }
  const { fleet = FLEET, author = whoAmI() } = options
  await asOperator(fleet, async ({ publish }) => {
    for (const { name, bundle } of packed) {
      io.say(bundleLines(bundle))
      await io.print(`${await publish({ name, bundle: bundle.bytes }, author)}  ${name}\n`)
    }
  })
  return EXIT.ok
}

/** A bundle and the data for its check. */
interface Packed {
  readonly source: string
  readonly bytes: Uint8Array
  readonly data: readonly string[]
}

/** Number of data keys in the message. */
const MOST_KEYS = 5

/** Warns about data that hosts must supply: an assignment contains no data, and hosts without it have errors. */
function wantsOf(documents: readonly PolicyDocument[], source: string): readonly Problem[] {
  const keys = [...new Set(withChildren(documents).flatMap(dataNeeds))]
  if (keys.length === 0) return []
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : ''
  const named = `${keys.slice(0, MOST_KEYS).join(', ')}${more}`
  const message = `${source} reads data that only --data of the agent can provide; hosts without it report errors: ${named}`
  return [{ severity: 'warning', message }]
}

/** Checks the bundle rather than its sources, to detect missing files. */
async function isSoundBundle({ source, bytes, data }: Packed, io: Io): Promise<boolean> {
  const directories = createTemporaryDirectories()
  const path = join(directories.create(), 'bundle.tar.gz')
  writeFileSync(path, bytes, { mode: 0o600 })
  const loaded = await loadDocuments([path], { data })
  const judged = loaded.ok ? soundnessOf(loaded.value, await loadTypes()) : { problems: loaded.problems, hints: [] }
  const wants = loaded.ok ? wantsOf(loaded.value, source) : requiredHint(loaded.problems, source)
  await loaded.dispose()
  await directories.remove()
  const named = (text: string): string => text.replaceAll(path, source)
  const all = [...(loaded.ok ? loaded.warnings : []), ...judged.hints, ...judged.problems, ...wants].map(
    (problem): Problem => {
      const { message, position } = problem
      const moved = position && { ...position, file: named(position.file) }
      return { ...problem, message: named(message), ...defined({ position: moved }) }
    },
  )
  await reportProblems(all, io)
  return judged.problems.length === 0
}

export async function runUnpublish(
  { operands: [digest = ''], options }: Invocation<UnpublishFlags>,
  io: Io,
): Promise<number> {
  if (!isSha256(digest))
    throw usageError('name the bundle by the SHA-256 that "driftgate fleet publish" printed', 'fleet unpublish')
  const { fleet = FLEET, author = whoAmI() } = options
  await unpublish(fleet, digest, author)
  io.say(`driftgate: deleted ${digest} from the server; hosts delete their copies with the next assignment\n`)
  return EXIT.ok
}

export async function runAssign({ options }: Invocation<AssignFlags>, io: Io): Promise<number> {
  const { fleet = FLEET, to: text, policy: bundles, interval, reason = '', author = whoAmI() } = options
  const to = readAddressee(text)
  if (to === undefined) throw usageError('missing --to ring.NAME or --to host.NAME', 'fleet assign')
  if (bundles.length === 0) throw usageError('missing --policy SHA256', 'fleet assign')
  if (reason.trim() === '') throw usageError(NO_REASON, 'fleet assign')
  const about = { to, bundles, reason, author, ...defined({ interval }) }
  const { version, policies } = await asOperator(fleet, ({ assign }) => assign(about))
  io.say(`driftgate: ${to} is assigned ${policies.map(({ name }) => name).join(', ')}, version ${version}\n`)
  return EXIT.ok
}

export async function runWithdraw(
  { operands: [name = ''], options }: Invocation<WithdrawFlags>,
  io: Io,
): Promise<number> {
  const { fleet = FLEET, reason = '', author = whoAmI() } = options
  if (reason.trim() === '') throw usageError(NO_REASON, 'fleet withdraw')
  const { to, version } = await withdraw(fleet, name, { reason, author })
  io.say(`driftgate: ${name} no longer has its own assignment and uses version ${version} of ${to}\n`)
  return EXIT.ok
}

const NO_REASON = 'missing --reason TEXT: the activity log shows it'

export async function runAssignments({ operands, options }: Invocation<RecordFlags>, io: Io): Promise<number> {
  const [operand] = operands
  const to = readAddressee(operand)
  if (operand !== undefined && to === undefined)
    throw usageError(`expected ring.NAME or host.NAME, found ${JSON.stringify(operand)}`, 'fleet assignments')
  const stored = await asOperator(options.fleet ?? FLEET, ({ assignments }) => assignments())
  const shown = to === undefined ? lastOfEach(stored) : stored.filter((each) => each.to === to).toReversed()
  if (options.format === 'json') {
    const assignments = shown.map(({ to: addressee, storedAtMs, isWithdrawn, said }) => ({
      to: addressee,
      storedAt: new Date(storedAtMs).toISOString(),
      ...assignmentForPrograms(isWithdrawn, said),
    }))
    await io.print(`${toSafeJson({ schema: 'driftgate.assignments/v1', assignments }, 2)}\n`)
  } else await io.print(showAssignments(shown, await io.paintOutput()))
  return shown.some(({ isWithdrawn, said }) => 'message' in said && !isWithdrawn) ? EXIT.undecided : EXIT.ok
}

function assignmentForPrograms(isWithdrawn: boolean, said: StoredAssignment['said']): object {
  if (isWithdrawn) return { isWithdrawn }
  return 'message' in said ? { refused: said.message } : { assignment: said.assignment }
}

/** Shows the activity log, newest last. */
export async function runAudit({ options }: Invocation<AuditFlags>, io: Io): Promise<number> {
  const { since, act: acts, about } = options
  const sinceMs = since === undefined ? undefined : parseSince(since, Date.now())
  const all = await asOperator(options.fleet ?? FLEET, ({ audit }) => audit())
  const stored = selectEntries(all, { acts, ...defined({ sinceMs, about }) })
  if (options.format === 'json') {
    const entries = stored.map(entryForPrograms)
    await io.print(`${toSafeJson({ schema: 'driftgate.audit-entries/v1', entries }, 2)}\n`)
  } else await io.print(showAudit(stored, all, await io.paintOutput()))
  return stored.some(({ said }) => 'message' in said) ? EXIT.undecided : EXIT.ok
}

interface PackSettings {
  readonly data: readonly string[]
  /** Files that are packed although they look private. */
  readonly allowPrivate: readonly string[]
}

/**
 * Packs a policy with the files that a scan would open, and reports omitted files on standard error. Undefined if the
 * policy is invalid, which is reported. Throws an `OperatorError` if a file cannot be packed.
 */
async function packPolicy(source: string, settings: PackSettings, io: Io): Promise<Bundle | undefined> {
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
function requiredHint(problems: readonly Problem[], source: string): readonly Problem[] {
  if (!problems.some(({ sourceLine = '' }) => REQUIRED.test(sourceLine))) return []
  const message = `${source} lacks required data: add values to the policy, or pass --data to the agents of its hosts and to this command`
  return [{ severity: 'warning', message }]
}

/** One line per file of a bundle: size, SHA-256, path, and the reference to it. */
function bundleLines({ entries }: Bundle): string {
  return entries
    .map(({ path, sizeBytes, sha256, by }) => {
      const place = escapeForTerminal(`${path}  ${by}`)
      return `  ${formatSize(sizeBytes).padStart(8)}  ${sha256}  ${place}\n`
    })
    .join('')
}
