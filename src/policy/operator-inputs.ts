import { once } from '../host/once.ts'
import process from 'node:process'
import { defined } from '../model/defined.ts'
import type { Problem, Result } from '../model/problem.ts'
import { REGISTRATION_STREAM } from '../model/registration.ts'
import type { Annotation } from './data/annotations.ts'
import { type AssignedValue, mapAt, parseAssignment, valueOfText } from './data/assignment.ts'
import { type DataMap, type Layer, mergeLayers } from './data/merge.ts'
import { type CustomFactFile, customFactDirectories, readCustomFacts } from './facts/custom.ts'
import type { PluginFacts } from './facts/define-facts.ts'
import { type GatheredFacts, gatherSystemFacts } from './facts/gather.ts'
import { createNats, type Nats } from '../host/nats/nats.ts'
import { createLocalTarget } from '../host/live/local-target.ts'
import type { Target } from '../host/target.ts'
import { RefusedFile } from '../host/live/system-error.ts'
import type { GoValue } from '../templates/govalue/index.ts'
import { createRemoteValues, type FactFamilies, MissingValueError } from './template/index.ts'
import { readEnvFile } from './env-file.ts'
import { type Facts, readDataFile } from './expand/data-file.ts'
import type { PolicyInputs, ObservedFacts } from './expand/inputs.ts'
import { sourceText } from './document/lines.ts'
import { isError } from './read/policy.ts'
import { readTextFile } from './fetch/text-file.ts'
import { readVars, type VarOptions } from './goss/vars.ts'
import { readMap, readText, remoteSources, withoutCredentials } from './read-map.ts'

/** Options for the external inputs of templates: the machine, the environment, and the operator's data. */
export interface InputOptions extends VarOptions {
  /** The machine whose facts the policies see, if it is already open. */
  readonly target?: Target
  /** The environment of the process. */
  readonly environ?: Readonly<Record<string, string | undefined>>
  /** Id of the running user, whose own fact files are trusted. */
  readonly uid?: number
  /** A file of further environment variables, which override those of the process. */
  readonly envFile?: string
  /** Data files or URLs, which override the data of every policy, in this order. */
  readonly data?: readonly string[]
  /** Further data above that of the files, such as that of one target. */
  readonly dataLayers?: readonly Layer[]
  /** `key.path=value` with the value in YAML, above all other data. */
  readonly set?: readonly string[]
  /** Fact files, above the facts of the machine. */
  readonly facts?: readonly string[]
  /** `key.path=value` with the value as text, above all other facts. */
  readonly fact?: readonly string[]
  /** Facts of plugins, treated as those of the machine. */
  readonly moreFacts?: readonly PluginFacts[]
  /** The NATS context for `obj://` and `kv://`: a name, or an absolute path. */
  readonly context?: string
  /** The stream of the registry on that server. */
  readonly registration?: string
}

/** The inputs of templates, with warnings about their sources. */
export interface ReadInputs {
  readonly inputs: PolicyInputs
  /** Grows as facts are gathered. */
  readonly warnings: readonly Problem[]
  /** Close it after the policies have run. */
  readonly nats: Nats
}

/** The NATS client for addresses and templates; connects on first use. */
export function natsOf({ context, registration = REGISTRATION_STREAM, environ = process.env }: InputOptions): Nats {
  return createNats({ context, registration, env: environ })
}

/** Reads the operator's inputs and combines them with the machine's facts, which are gathered on demand. */
export async function readInputs(options: InputOptions): Promise<Result<ReadInputs>> {
  const { target = createLocalTarget(), environ: variables = process.env, uid = process.getuid?.() ?? 0 } = options
  const warnings: Problem[] = []
  const problems: Problem[] = []
  const nats = natsOf(options)
  const given = [
    ...(await readLayers('--facts', options.facts ?? [], { problems, nats })),
    ...assignments('--fact', options.fact ?? [], problems, (text) => ({ value: text })),
  ]
  const own = new Map(definedIn(variables))
  const file = readEnvFile(options.envFile, problems)
  const environ = new Map([...own, ...file])
  const environLayers = [layer('environment', own), layer(`--env-file ${options.envFile ?? ''}`, file)]
  const custom = once(() => {
    const files = readCustomFacts(target, customFactDirectories(configHome(environ)), uid)
    for (const file of files) if ('trouble' in file) warnings.push(unusableFactsProblem(file))
    return files
  })
  const sources = {
    machine: (families: FactFamilies) => gatherSystemFacts(target, families, options.moreFacts),
    custom,
    given,
  }
  const prepareFacts = (): void => void custom()
  const facts = (families: FactFamilies): ObservedFacts => seenFacts(families, sources)
  const dataFiles = await readDataFiles(options.data ?? [], { facts, prepareFacts }, { problems, nats })
  const layers = [...dataFiles.layers, ...(options.dataLayers ?? [])]
  const data = [...layers, ...assignments('--set', options.set ?? [], problems, valueOfText)]
  const vars = await readVars(withGossVariables(options, variables), problems, nats)
  const errors = problems.filter(isError)
  if (errors.length > 0) {
    await nats.close()
    return { ok: false, problems }
  }
  warnings.push(...problems)
  const inputs: PolicyInputs = {
    prepareFacts,
    facts,
    environ,
    origins: { facts: (families) => factLayers(families, sources), environ: environLayers },
    data,
    vars,
    sensitive: dataFiles.sensitive,
    remote: createRemoteValues(remoteSources(nats)),
    readFile: (path, isOfMachine) =>
      isOfMachine === true && target.kind !== 'local' ? readOf(target, path) : readTextFile(path),
    fileExists(path) {
      const observation = target.files.lstat(path)
      if (observation.kind === 'unknown') {
        const { detail, needs } = observation
        if (needs !== undefined) throw new MissingValueError(detail, { certainty: 'unknown', needs })
        throw new RefusedFile(observation.detail, observation.reason === 'timeout' ? 'SILENT_FILE_SYSTEM' : undefined)
      }
      return observation.kind === 'present'
    },
  }
  return { ok: true, value: { inputs, warnings, nats }, warnings: [] }
}

/** Without options, the variables of Goss templates come from Goss's environment variables. */
function withGossVariables(
  { vars = [], varsInline }: VarOptions,
  { GOSS_VARS: file = '', GOSS_VARS_INLINE: inline = '' }: NonNullable<InputOptions['environ']>,
): VarOptions {
  const text = varsInline ?? (inline === '' ? undefined : inline)
  return { vars: vars.length === 0 && file !== '' ? [file] : vars, ...defined({ varsInline: text }) }
}

/** Reads a file of the target for a template. */
function readOf({ probe }: Target, path: string): string {
  const text = probe.readText(path)
  if (text.kind === 'unknown' && text.needs !== undefined)
    throw new MissingValueError(text.detail, { certainty: 'unknown', needs: text.needs })
  if (text.kind === 'unknown') throw new RefusedFile(text.detail)
  if (text.value === null) throw new RefusedFile(`${path} does not exist below the target`)
  return text.value
}

/** The sources of facts, lowest precedence first. */
interface FactSources {
  readonly machine: (families: FactFamilies) => GatheredFacts
  readonly custom: () => readonly CustomFactFile[]
  readonly given: readonly Layer[]
}

function factLayers(families: FactFamilies, { machine, custom, given }: FactSources): readonly Layer[] {
  return [layer('machine', machine(families).facts), ...custom().flatMap(layerOf), ...given]
}

/**
 * All facts. An unusable file could contain any fact and takes precedence over the machine's and earlier files, so only
 * facts above that file are known.
 */
function seenFacts(families: FactFamilies, { machine, custom, given }: FactSources): ObservedFacts {
  const files = custom()
  const last = files.findLastIndex((file) => 'trouble' in file)
  const file = files[last]
  const over = files.slice(last + 1).flatMap(layerOf)
  if (file !== undefined && 'trouble' in file) {
    return {
      values: mergeLayers([...over, ...given]),
      unread: [{ path: [], detail: unusableFactsProblem(file).message }],
    }
  }
  const { facts, unread } = machine(families)
  const values = mergeLayers([layer('machine', facts), ...over, ...given])
  return { values, unread: unread.filter(({ path }) => !isGiven(values, path)) }
}

function layerOf(file: CustomFactFile): readonly Layer[] {
  return 'facts' in file ? [layer(file.path, file.facts)] : []
}

/** Whether a path has a value other than a map, even if the machine's is unknown. */
function isGiven(values: DataMap, path: readonly string[]): boolean {
  const found = path.reduce<GoValue | undefined>((map, key) => (map instanceof Map ? map.get(key) : undefined), values)
  return found !== undefined && !(found instanceof Map)
}

function unusableFactsProblem({ path, trouble }: Extract<CustomFactFile, { readonly trouble: string }>): Problem {
  return { severity: 'warning', message: `facts of ${path} cannot be used: ${trouble}` }
}

function layer(origin: string, data: DataMap): Layer {
  return { origin, data, merge: 'deep' }
}

interface DataFiles {
  readonly layers: readonly Layer[]
  readonly sensitive: readonly Annotation[]
}

interface ReadingFrom {
  readonly problems: Problem[]
  readonly nats: Nats
}

async function readDataFiles(
  names: readonly string[],
  facts: Facts,
  { problems, nats }: ReadingFrom,
): Promise<DataFiles> {
  const layers: Layer[] = []
  const sensitive: Annotation[] = []
  for (const name of names) {
    const text = await readText(name, nats)
    if ('message' in text) {
      problems.push({ message: `--data ${text.message}`, severity: 'error' })
      continue
    }
    const shown = withoutCredentials(name)
    const file = await readDataFile(sourceText(shown, text.text), facts)
    layers.push(layer(`--data ${shown}`, file.data))
    sensitive.push(...file.sensitive)
    problems.push(...file.problems.map((problem) => ({ ...problem, message: `--data ${shown}: ${problem.message}` })))
  }
  return { layers, sensitive }
}

async function readLayers(
  flag: string,
  sources: readonly string[],
  { problems, nats }: ReadingFrom,
): Promise<readonly Layer[]> {
  const layers: Layer[] = []
  for (const source of sources) {
    const read = await readMap(source, nats)
    if (typeof read === 'string') problems.push({ message: `${flag} ${read}`, severity: 'error' })
    else layers.push(layer(`${flag} ${withoutCredentials(source)}`, read))
  }
  return layers
}

function assignments(
  flag: string,
  given: readonly string[],
  problems: Problem[],
  valueOf: (text: string) => AssignedValue,
): readonly Layer[] {
  return given.flatMap((argument): Layer[] => {
    const parsed = parseAssignment(argument)
    if ('message' in parsed) {
      problems.push({ message: `${flag} ${parsed.message}`, severity: 'error' })
      return []
    }
    const { path, text } = parsed
    const origin = `${flag} ${path.join('.')}`
    const assigned = valueOf(text)
    if ('value' in assigned) return [layer(origin, mapAt(path, assigned.value))]
    problems.push({ message: `${origin}: ${assigned.message}`, severity: 'error' })
    return []
  })
}

function definedIn(environ: NonNullable<InputOptions['environ']>): readonly [string, string][] {
  return Object.entries(environ).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
}

/** The user's configuration directory. @see XDG Base Directory Specification */
function configHome(environ: ReadonlyMap<string, string>): string | undefined {
  const explicit = environ.get('XDG_CONFIG_HOME')
  if (explicit !== undefined && explicit.startsWith('/')) return explicit
  const home = environ.get('HOME')
  return home !== undefined && home.startsWith('/') ? `${home}/.config` : undefined
}
