import { realpathSync } from 'node:fs'
import process from 'node:process'
import { defined } from '../model/defined.ts'
import { escapeForTerminal } from '../model/escape.ts'
import { OperatorError } from '../model/operator-error.ts'
import { assignmentsOf } from '../policy/data/assignment.ts'
import type { RemoteJob } from '../remote/job.ts'
import { type PayloadSources, packPayload } from '../remote/payload.ts'
import { programFile } from '../remote/program-file.ts'
import type { RemoteSpec } from '../remote/spec.ts'
import { type CarryFlags, limitsOfCarrying } from './options/carry.ts'
import { loadExtensions } from './options/extension.ts'
import { type InputFlags, inputsOf, isUntrusted, type TrustFlags } from './options/input.ts'
import type { ChosenTarget } from './options/target.ts'
import type { Io } from './output/io.ts'

/** Options of a command that travel, whichever it has. */
export type CarriedOptions = Readonly<Record<string, unknown>> &
  CarryFlags &
  Partial<InputFlags & TrustFlags & { readonly plugin: readonly string[] }>

/** A command that is to be run elsewhere. */
interface CarriedCommand {
  readonly command: string
  readonly policies: readonly string[]
  /** The operands that are no policies. */
  readonly words: readonly string[]
  readonly options: CarriedOptions
  /** Sources that are no files, by name. */
  readonly texts?: ReadonlyMap<string, string> | undefined
  /** What the work of others may take there. */
  readonly memoryMib?: number | undefined
  /** What `-` among the policies stands for. */
  readonly stdin?: AsyncIterable<unknown>
  /** Told what stays here although it lies beside the policies. */
  readonly say: Io['say']
}

/** What says how the way there is gone, and nothing once it was. */
const ARRIVED = {
  targets: undefined,
  on: [],
  become: undefined,
  'connect-timeout': undefined,
  timeout: undefined,
  'remote-binary': undefined,
}

/** A command as driftgate carries it; the same for all places. Throws an `OperatorError` for what cannot travel. */
export async function jobOf({
  command,
  policies,
  words,
  options,
  texts,
  memoryMib,
  stdin,
  say,
}: CarriedCommand): Promise<RemoteJob> {
  const { become, 'remote-binary': binary } = options
  const plugins = await pluginsOf(options)
  const areOfOthers = isUntrusted(policies, options)
  // A scan takes several.
  const target = command === 'scan' ? [] : undefined
  const carried = {
    command,
    operands: policies,
    words,
    options: { ...options, ...ARRIVED, ...plugins.options, target },
  }
  return {
    payload: await packPayload({
      ...carried,
      ...defined({ texts, stdin, code: plugins.code }),
      namedBy: (asked) => (areOfOthers ? Promise.resolve([]) : namesOf(asked, options)),
      onLeftOut(path, reason) {
        const why = areOfOthers ? 'policies of others get no such file' : 'no policy names it'
        say(`driftgate: ${escapeForTerminal(path)} stays here: ${reason}, and ${why}\n`)
      },
    }),
    program: await programFile(binary),
    limits: limitsOfCarrying(options),
    become: [
      ...(become?.split(/\s+/).filter((word) => word !== '') ?? []),
      ...(memoryMib === undefined ? [] : ['env', `NODE_OPTIONS=--max-old-space-size=${memoryMib}`]),
    ],
  }
}

/** The plugins by their paths, and where their code lies; nothing without plugins. */
async function pluginsOf({
  plugin = [],
}: CarriedOptions): Promise<{ readonly options?: Pick<CarriedOptions, 'plugin'>; readonly code?: readonly string[] }> {
  if (plugin.length === 0) return {}
  const [{ locatePlugin }, { codeOf }] = await Promise.all([
    import('./plugins/locate-plugin.ts'),
    import('./plugins/package-entry.ts'),
  ])
  const paths = plugin.map((name) => realpathSync(locatePlugin(name, process.cwd())))
  return { options: { plugin: paths }, code: [...new Set(paths.flatMap(codeOf))] }
}

async function namesOf(
  { policies, texts, path, reason }: PayloadSources,
  options: CarriedOptions,
): Promise<readonly string[]> {
  const { filesNamedBy } = await import('./files-named-by.ts')
  const { types, facts: moreFacts } = await loadExtensions({ plugin: [], ...options })
  const found = await filesNamedBy(policies, { ...inputsOf(options), moreFacts, types, texts })
  if ('files' in found) return found.files.map((file) => file.path)
  const message = `${path} lies beside the policies, and ${reason}: whether they need it is unknown while they cannot be loaded here. Move it elsewhere, or correct them`
  throw new OperatorError(message, { problems: [{ message, severity: 'error' }, ...found.problems] })
}

/** A place with what an inventory says of it alone. */
export type Place = Pick<ChosenTarget, 'name' | 'data'> & Partial<Pick<ChosenTarget, 'way'>>

/** An job with what is said of one place alone: its name, and data over that of files. What the command line says of the start holds for all of them. */
export function jobTo({ name, data, way }: Place, job: RemoteJob, options: CarryFlags): RemoteJob {
  const { order } = job.payload
  const set = [...assignmentsOf(data), ...[order.options['set'] ?? []].flat()]
  const become = [...(options.become === undefined ? (way?.become ?? []) : []), ...job.become]
  return {
    ...job,
    become,
    payload: { ...job.payload, order: { ...order, name, options: { ...order.options, set } } },
  }
}

/** The place with what its inventory says of the way there. */
export function throughWay(spec: RemoteSpec, { way }: Place): RemoteSpec {
  if (spec.kind === 'ssh') return { ...spec, ...defined({ identity: way?.identity }) }
  return spec.kind === 'container' ? { ...spec, ...defined({ engine: way?.engine }) } : spec
}

/** Passes on what another machine says to people, which may be anything. */
export function sayingAll(io: Pick<Io, 'say'>): (text: string) => void {
  return (text) => {
    const lines = text.trimEnd().split('\n')
    if (text !== '') io.say(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''))
  }
}
