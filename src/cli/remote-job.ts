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
import { loadRunExtensions } from './options/extension.ts'
import { type InputFlags, inputsOf, isUntrusted, type TrustFlags } from './options/input.ts'
import type { ChosenTarget } from './options/target.ts'
import type { Io } from './output/io.ts'

/** Options that are sent with a job, if the command has them. */
export type CarriedOptions = Readonly<Record<string, unknown>> &
  CarryFlags &
  Partial<InputFlags & TrustFlags & { readonly plugin: readonly string[] }>

/** A command to run remotely. */
interface CarriedCommand {
  readonly command: string
  readonly policies: readonly string[]
  /** Operands other than policies. */
  readonly words: readonly string[]
  readonly options: CarriedOptions
  /** Sources that are not files, by name. */
  readonly texts?: ReadonlyMap<string, string> | undefined
  /** Heap limit for untrusted input, in MiB. */
  readonly memoryMib?: number | undefined
  /** Replacement for `-` among the policies. */
  readonly stdin?: AsyncIterable<unknown>
  /** Reports files next to the policies that are not sent. */
  readonly say: Io['say']
}

/** Connection options, removed from the job. */
const ARRIVED = {
  targets: undefined,
  on: [],
  become: undefined,
  'connect-timeout': undefined,
  timeout: undefined,
  'remote-binary': undefined,
}

/**
 * Packs a command for remote execution; the same for all targets. Throws an `OperatorError` if something cannot be
 * sent.
 */
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
  // A scan takes several targets.
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
        const why = areOfOthers ? 'untrusted policies do not receive such files' : 'no policy names it'
        say(`driftgate: ${escapeForTerminal(path)} is not sent: ${reason}, and ${why}\n`)
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

/** Paths of the plugins and of their code; empty without plugins. */
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
  const { types, facts } = await loadRunExtensions({ plugin: [], ...options })
  const found = await filesNamedBy(policies, { ...inputsOf(options, facts), types, texts })
  if ('files' in found) return found.files.map((file) => file.path)
  const message = `${path} is next to the policies, and ${reason}: it is unknown whether they need it, because they cannot be loaded here. Move the file, or correct the policies`
  throw new OperatorError(message, { problems: [{ message, severity: 'error' }, ...found.problems] })
}

/** A target with its settings from an inventory. */
export type Place = Pick<ChosenTarget, 'name' | 'data'> & Partial<Pick<ChosenTarget, 'way'>>

/**
 * Adds the settings of one target to a job: its name, and data that overrides that of files. A command prefix on the
 * command line applies to all targets.
 */
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

/** Adds connection settings of the inventory. */
export function throughWay(spec: RemoteSpec, { way }: Place): RemoteSpec {
  if (spec.kind === 'ssh') return { ...spec, ...defined({ identity: way?.identity }) }
  return spec.kind === 'container' ? { ...spec, ...defined({ engine: way?.engine }) } : spec
}

/** Prints remote messages escaped, since they are untrusted. */
export function sayingAll(io: Pick<Io, 'say'>): (text: string) => void {
  return (text) => {
    const lines = text.trimEnd().split('\n')
    if (text !== '') io.say(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''))
  }
}
