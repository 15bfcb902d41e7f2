import { resolve } from 'node:path'
import type { Problem, Result } from '../core/problem.ts'
import { mapAt, parseAssignment, valueOfText } from '../data/assignment.ts'
import { type DataMap, deepMerge, type Layer } from '../data/merge.ts'
import { customFactDirectories, parseFacts, readCustomFacts } from '../facts/custom.ts'
import { gatherSystemFacts } from '../facts/gather.ts'
import type { Target } from '../target/target.ts'
import { parseDotenv } from './dotenv.ts'
import type { PolicyInputs } from './inputs.ts'
import { fetchText, isAddress } from './source/remote.ts'
import { readTextFile } from './source/text-file.ts'

/** What the operator gives beside the policies. */
export interface OperatorOptions {
  /** The environment of the process. */
  readonly environ: Readonly<Record<string, string | undefined>>
  /** The id of the running user, whose own fact files are trusted. */
  readonly uid: number
  /** A file of further environment variables, over those of the process. */
  readonly envFile?: string
  /** Files or addresses of data, laid over every policy's own in this order. */
  readonly data?: readonly string[]
  /** `key.path=value`, the value in YAML, over all other data. */
  readonly set?: readonly string[]
  /** Files of facts, over those of the machine. */
  readonly facts?: readonly string[]
  /** `key.path=value`, the value as text, over all other facts. */
  readonly fact?: readonly string[]
  /** Told about fact files that are not used. */
  readonly onWarning?: (warning: Problem) => void
}

/** Reads what the operator gives and joins it with the machine's facts, which are gathered only when asked for. */
export async function readOperatorInputs(target: Target, options: OperatorOptions): Promise<Result<PolicyInputs>> {
  const problems: Problem[] = []
  const data = [
    ...(await readLayers('--data', options.data ?? [], problems)),
    ...assignments('--set', options.set ?? [], problems, valueOfText),
  ]
  const given = [
    ...(await readLayers('--facts', options.facts ?? [], problems)),
    ...assignments('--fact', options.fact ?? [], problems, (text) => text),
  ]
  const environ = new Map([...definedIn(options.environ), ...readEnvFile(options.envFile, problems)])
  if (problems.length > 0) return { ok: false, problems }
  const custom = once(() => {
    const directories = customFactDirectories(configHome(environ))
    const { facts, warnings } = readCustomFacts(target, directories, options.uid)
    warnings.forEach((warning) => options.onWarning?.(warning))
    return facts
  })
  const inputs: PolicyInputs = {
    prepareFacts: () => void custom(),
    facts: (families) => layOver(gatherSystemFacts(target, families), [custom(), ...given.map((layer) => layer.data)]),
    environ,
    data,
    readFile: readTextFile,
    fileExists(path) {
      const observation = target.lstat(path)
      if (observation.kind === 'unknown') throw new Error(observation.detail)
      return observation.kind === 'present'
    },
  }
  return { ok: true, value: inputs, warnings: [] }
}

function layOver(facts: DataMap, above: readonly DataMap[]): DataMap {
  return above.reduce(deepMerge, facts)
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

async function readLayers(flag: string, sources: readonly string[], problems: Problem[]): Promise<readonly Layer[]> {
  const layers: Layer[] = []
  for (const source of sources) {
    const read = await readMap(source)
    if (typeof read === 'string') problems.push({ message: `${flag} ${read}`, severity: 'error' })
    else layers.push({ origin: `${flag} ${withoutCredentials(source)}`, data: read, merge: 'deep' })
  }
  return layers
}

/** The map a file or address holds, or what is wrong with it. */
async function readMap(source: string): Promise<DataMap | string> {
  const shown = withoutCredentials(source)
  let text: string
  try {
    text = isAddress(source) ? await fetchText(source) : readTextFile(resolve(source))
  } catch (error) {
    return `${shown} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
  const parsed = parseFacts(text)
  return parsed.ok ? parsed.value : `${shown}: ${parsed.message}`
}

function withoutCredentials(source: string): string {
  return isAddress(source) ? source.replace(/^([^/]*\/\/)[^/@]*@/, '$1') : source
}

function assignments(
  flag: string,
  given: readonly string[],
  problems: Problem[],
  valueOf: (text: string) => string | ReturnType<typeof valueOfText>,
): readonly Layer[] {
  return given.flatMap((argument): Layer[] => {
    const parsed = parseAssignment(argument)
    if ('message' in parsed) {
      problems.push({ message: `${flag} ${parsed.message}`, severity: 'error' })
      return []
    }
    const { path, text } = parsed
    return [{ origin: `${flag} ${path.join('.')}`, data: mapAt(path, valueOf(text)), merge: 'deep' }]
  })
}

function readEnvFile(path: string | undefined, problems: Problem[]): ReadonlyMap<string, string> {
  if (path === undefined) return new Map()
  try {
    const parsed = parseDotenv(readTextFile(resolve(path)))
    if (!('message' in parsed)) return parsed
    const position = { file: path, line: parsed.line, column: 1 }
    problems.push({ message: parsed.message, position, severity: 'error' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push({ message: `--env-file ${path} cannot be read: ${reason}`, severity: 'error' })
  }
  return new Map()
}

function definedIn(environ: OperatorOptions['environ']): readonly [string, string][] {
  return Object.entries(environ).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
}

/** Where the user's own configuration lies. @see the XDG base directory specification */
function configHome(environ: ReadonlyMap<string, string>): string | undefined {
  const explicit = environ.get('XDG_CONFIG_HOME')
  if (explicit !== undefined && explicit.startsWith('/')) return explicit
  const home = environ.get('HOME')
  return home !== undefined && home.startsWith('/') ? `${home}/.config` : undefined
}
