import { defined } from '../core/defined.ts'
import { escapeForTerminal } from '../core/escape.ts'
import { assignmentsOf } from '../data/assignment.ts'
import type { Errand } from '../remote/errand.ts'
import { packParcel } from '../remote/parcel.ts'
import { programFile } from '../remote/program-file.ts'
import type { RemoteSpec } from '../remote/spec.ts'
import { usageError } from './errors.ts'
import { type CarryFlags, limitsOfCarrying } from './options/carry.ts'
import type { ChosenTarget } from './options/target.ts'
import type { Io } from './output/io.ts'

/** A command that is to be run elsewhere. */
interface CarriedCommand {
  readonly command: string
  readonly policies: readonly string[]
  /** The operands that are no policies. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, unknown>> & CarryFlags
  /** Sources that are no files, by name. */
  readonly texts?: ReadonlyMap<string, string> | undefined
  /** What the work of others may take there. */
  readonly memoryMib?: number | undefined
  /** What `-` among the policies stands for. */
  readonly stdin?: AsyncIterable<unknown>
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
export async function errandOf({
  command,
  policies,
  words,
  options,
  texts,
  memoryMib,
  stdin,
}: CarriedCommand): Promise<Errand> {
  const { become, 'remote-binary': binary, plugin } = options
  if (Array.isArray(plugin) && plugin.length > 0) {
    throw usageError('plugins do not travel: leave --plugin out, or run driftgate on the target itself', command)
  }
  // A scan takes several.
  const target = command === 'scan' ? [] : undefined
  const carried = { command, operands: policies, words, options: { ...options, ...ARRIVED, target } }
  return {
    parcel: await packParcel({ ...carried, ...defined({ texts, stdin }) }),
    program: await programFile(binary),
    limits: limitsOfCarrying(options),
    become: [
      ...(become?.split(/\s+/).filter((word) => word !== '') ?? []),
      ...(memoryMib === undefined ? [] : ['env', `NODE_OPTIONS=--max-old-space-size=${memoryMib}`]),
    ],
  }
}

/** A place with what an inventory says of it alone. */
export type Place = Pick<ChosenTarget, 'name' | 'data'> & Partial<Pick<ChosenTarget, 'way'>>

/** An errand with what is said of one place alone: its name, and data over that of files. What the command line says of the start holds for all of them. */
export function errandTo({ name, data, way }: Place, errand: Errand, options: CarryFlags): Errand {
  const { order } = errand.parcel
  const set = [...assignmentsOf(data), ...[order.options['set'] ?? []].flat()]
  const become = [...(options.become === undefined ? (way?.become ?? []) : []), ...errand.become]
  return {
    ...errand,
    become,
    parcel: { ...errand.parcel, order: { ...order, name, options: { ...order.options, set } } },
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
