import { defined } from '../model/defined.ts'
import { distinguish } from '../model/policy-identity.ts'
import type { Problem, Result } from '../model/problem.ts'
import { localSource, type PolicySource, type SourceFile, untrustedSource, withTexts } from './fetch/files.ts'
import { isAddress, isBundle } from './fetch/remote.ts'
import { withShipped } from './fetch/shipped.ts'
import type { Nats } from '../host/nats/nats.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { loadTypes } from '../subjects/index.ts'
import type { RunnablePolicy } from './runnable/policy.ts'
import { type ManifestOptions, loadManifest } from './load-manifest.ts'
import { unknownKeys } from './read/parameters.ts'
import { type InputOptions, natsOf, readInputs } from './operator-inputs.ts'
import { ForbiddenError } from './template/index.ts'
import type { PolicyInputs } from './expand/inputs.ts'
import type { PolicyDocument } from './read/policy.ts'

/** Options of loading policies; by default only the environment of this process is used. */
export interface LoadPolicyOptions extends InputOptions {
  /** Operands opened by `openPolicies`, to load them several times; the opener disposes of them. */
  readonly opened?: OpenedPolicies
  /** The resource types of the policies; by default those that ship, loaded as the policies use them. The loaded policies include them. */
  readonly types?: readonly ResourceType[] | undefined
  /** Checksum of the only remote bundle, as `sha256:` and 64 hex digits. */
  readonly checksum?: string
  /** Aborting it ends the download of a bundle. */
  readonly signal?: AbortSignal
  /** Policies given as texts, by name; their paths are relative to the current directory. */
  readonly texts?: ReadonlyMap<string, string>
  /**
   * Whether the policies are untrusted. They then have no environment variables and only the files in their own
   * directories. Scan them with the same option.
   */
  readonly untrusted?: boolean
}

/** The result of loading, and the function that releases its resources. */
export type LoadedFrom<T> = Result<readonly T[]> & {
  /**
   * Removes unpacked bundles and closes connections. Call it after the policies have run, regardless of the result: a
   * policy of a bundle reads its files until then. Never rejects.
   */
  readonly dispose: () => Promise<void>
}

/** The loaded policies, or all problems. */
export type LoadedPolicies = LoadedFrom<RunnablePolicy>

/**
 * Loads policies from files, directories (their `.yaml`, `.yml` and `.json` files), bundles (`.tar.gz`, `.tgz`, `.tar`
 * and `.zip`, by path or http or https URL), policies that ship (`@ssh`) and `-` for standard input. Resolves their
 * data with the facts of this machine, and checks them. Returns either all policies, or all problems of all files with
 * their positions. Never rejects because of the content of a file.
 *
 * Bundles are unpacked into temporary directories that the policies read while they run, so call `dispose` of the
 * result in a `finally` after the scan. Remaining directories are removed when the process ends.
 */
export function loadPolicy(
  sources: string | readonly string[],
  options: LoadPolicyOptions = {},
): Promise<LoadedPolicies> {
  return loadPoliciesFrom(typeof sources === 'string' ? [sources] : sources, options)
}

/** Like `loadPolicy`, with further options such as `source`. */
export async function loadPoliciesFrom(
  sources: readonly string[],
  options: LoadDocumentsOptions,
): Promise<LoadedPolicies> {
  const loaded = await loadDocuments(sources, options)
  return loaded.ok ? { ...loaded, value: loaded.value.map(({ policy }) => policy) } : loaded
}

export interface LoadDocumentsOptions extends LoadPolicyOptions, Pick<ManifestOptions, 'beside' | 'appliesAll'> {
  /** The source of files and standard input; by default this machine. */
  readonly source?: PolicySource
}

/** Like `loadPolicy`, with the files of the policies; `beside` makes all of them evaluable. */
export async function loadDocuments(
  operands: readonly string[],
  options: LoadDocumentsOptions = {},
): Promise<LoadedFrom<PolicyDocument>> {
  const { types, untrusted = false, beside, appliesAll } = options
  const read = await readInputs(options)
  if (!read.ok) return { ...read, dispose: NOTHING_TO_DISPOSE }
  const { inputs, warnings, nats } = read.value
  const reading: ManifestOptions = {
    ...(types === undefined ? {} : await validated(types)),
    inputs: untrusted ? forOthers(inputs) : inputs,
    ...defined({ beside, appliesAll }),
  }
  const opened = options.opened ?? (await openPolicies(operands, options, nats))
  if ('problem' in opened) {
    await nats.close()
    return { ok: false, problems: [opened.problem, ...warnings], dispose: NOTHING_TO_DISPOSE }
  }
  const { source } = opened
  const disposeOfOpened = options.opened === undefined ? opened.dispose : NOTHING_TO_DISPOSE
  const dispose = async (): Promise<void> => {
    await Promise.all([disposeOfOpened(), nats.close()])
  }
  let isLoaded = false
  try {
    const loaded = await loadAll(operands, source, reading)
    isLoaded = loaded.ok
    return loaded.ok
      ? { ...loaded, warnings: [...loaded.warnings, ...warnings], dispose }
      : { ...loaded, problems: [...loaded.problems, ...warnings], dispose }
  } finally {
    if (!isLoaded) await dispose()
  }
}

const NOTHING_TO_DISPOSE = (): Promise<void> => Promise.resolve()

/** Untrusted policies have no environment variables and cannot query a server. */
function forOthers(inputs: PolicyInputs): PolicyInputs {
  const refuse = (): never => {
    throw new ForbiddenError(NO_SERVER)
  }
  const remote = { kvGet: refuse, registrations: refuse, complete: <Result>(work: () => Result) => work() }
  return { ...inputs, environ: new Map(), environRefusal: NO_ENVIRONMENT, remote }
}

const NO_SERVER = 'untrusted policies may not read values of servers (--untrusted)'

const NO_ENVIRONMENT = 'untrusted policies may not read environment variables (--untrusted)'

/** The policy schema is compiled at build time; further types need one of their own. */
async function validated(types: readonly ResourceType[]): Promise<Pick<ManifestOptions, 'types' | 'validate'>> {
  const own = await loadTypes()
  if (types.length === own.length && types.every((type, at) => type === own[at])) return { types }
  const { compilePolicySchema } = await import('./schema/compile.ts')
  return { types, validate: compilePolicySchema(types) }
}

/** Opened operands, including bundles. */
export interface OpenedPolicies {
  readonly source: PolicySource
  /** Removes unpacked bundles. */
  readonly dispose: () => Promise<void>
}

/**
 * Opens policies to load them several times, once per target: every file, bundle and standard input is read once. Never
 * throws; problems with a file are reported when it is loaded.
 */
export async function openOnce(
  operands: readonly string[],
  options: LoadDocumentsOptions,
): Promise<OpenedPolicies | { readonly problem: Problem }> {
  const nats = natsOf(options)
  const opened = await openPolicies(operands, options, nats)
  const dispose = async (): Promise<void> => {
    await Promise.all(['problem' in opened ? undefined : opened.dispose(), nats.close()])
  }
  if (!('problem' in opened)) return { source: readingOnce(opened.source), dispose }
  await dispose()
  return opened
}

function readingOnce(source: PolicySource): PolicySource {
  const once = <T>(read: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
    const asked = new Map<string, Promise<T>>()
    return (name) => {
      const known = asked.get(name) ?? read(name)
      asked.set(name, known)
      return known
    }
  }
  const stdin = once(() => source.readStdin())
  return { ...source, list: once(source.list), read: once(source.read), readStdin: () => stdin('-') }
}

/** Opens the operands, including bundles if there are any. */
async function openPolicies(
  operands: readonly string[],
  { checksum, signal, texts, untrusted = false, source = localSource }: LoadDocumentsOptions,
  nats: Nats,
): Promise<OpenedPolicies | { readonly problem: Problem }> {
  const sha256 = expectedDigest(operands, checksum)
  if (typeof sha256 === 'object') return { problem: { ...sha256, severity: 'error' } }
  // Policies that ship are always trusted.
  const guard = (all: PolicySource): PolicySource => withShipped(untrusted ? untrustedSource(all) : all)
  const files = texts === undefined ? source : withTexts(texts, source)
  if (!operands.some(isBundle)) return { source: guard(files), dispose: NOTHING_TO_DISPOSE }
  const [{ bundleSource }, { createTemporaryDirectories }] = await Promise.all([
    import('./fetch/bundle.ts'),
    import('./fetch/temporary-directories.ts'),
  ])
  const directories = createTemporaryDirectories()
  const bundles = bundleSource(files, directories, {
    ...defined({ sha256, signal }),
    nats,
  })
  return { source: guard(bundles), dispose: directories.remove }
}

/** The digest in a checksum, or why it does not apply to these policies. */
export function expectedDigest(
  operands: readonly string[],
  checksum: string | undefined,
): string | undefined | { readonly message: string } {
  if (checksum === undefined) return undefined
  const digest = /^sha256:([0-9a-f]{64})$/i.exec(checksum)?.[1]
  if (digest === undefined) return { message: `a checksum must be "sha256:" and 64 hex digits, found "${checksum}"` }
  const remote = new Set(operands.filter(isAddress)).size
  if (remote === 1) return digest
  return { message: `a checksum requires exactly one remote bundle, found ${remote === 0 ? 'none' : remote}` }
}

/** Returns either all policies, or all problems of all files. */
async function loadAll(
  operands: readonly string[],
  source: PolicySource,
  options: ManifestOptions,
): Promise<Result<readonly PolicyDocument[]>> {
  const unlisted: Problem[] = []
  const results: Result<PolicyDocument>[] = []
  for (const file of await listAll(operands, source, unlisted)) {
    const read = file === '-' ? await source.readStdin() : await source.read(file)
    results.push('message' in read ? { ok: false, problems: [read] } : await loadComplete(read, options))
  }
  const sound = results.filter((result) => result.ok)
  const problems = [...unlisted, ...results.flatMap((result) => (result.ok ? [] : result.problems))]
  if (problems.length === 0) {
    const roots = sound.map(({ value }) => value.root)
    problems.push(...unknownKeys(roots, options.inputs.data))
  }
  if (problems.length > 0) return { ok: false, problems }
  const told = distinguish(sound.map(({ value }) => value.policy))
  return {
    ok: true,
    value: sound.map(({ value }, index) => ({ ...value, policy: told.policies[index] ?? value.policy })),
    warnings: [...sound.flatMap(({ warnings }) => warnings), ...told.problems],
  }
}

/** Names and other early texts may query a server. */
async function loadComplete(file: SourceFile, options: ManifestOptions): Promise<Result<PolicyDocument>> {
  const load = (): Promise<Result<PolicyDocument>> => loadManifest(file, options)
  return await (options.inputs.remote?.complete(load) ?? load())
}

async function listAll(operands: readonly string[], source: PolicySource, problems: Problem[]): Promise<string[]> {
  const files: string[] = []
  for (const name of operands) {
    const listed = name === '-' ? ['-'] : await source.list(name)
    if ('message' in listed) problems.push(listed)
    else files.push(...listed)
  }
  if (files.length + problems.length === 0) problems.push({ message: 'missing policies', severity: 'error' })
  // A file that is named both itself and by its directory is one policy.
  return [...new Set(files)]
}
