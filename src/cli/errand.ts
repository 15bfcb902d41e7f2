import { defined } from '../core/defined.ts'
import { escapeForTerminal } from '../core/escape.ts'
import type { Errand } from '../remote/errand.ts'
import { packParcel } from '../remote/parcel.ts'
import { programFile } from '../remote/program-file.ts'
import { usageError } from './errors.ts'
import type { CarryFlags } from './options/carry.ts'
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
}

/** What says how the way there is gone, and nothing once it was. */
const ARRIVED = { targets: undefined, on: [], become: undefined, 'remote-binary': undefined }

/** A command as driftgate carries it; the same for all places. Throws an `OperatorError` for what cannot travel. */
export async function errandOf({
  command,
  policies,
  words,
  options,
  texts,
  memoryMib,
}: CarriedCommand): Promise<Errand> {
  const { become, 'remote-binary': binary, plugin } = options
  if (Array.isArray(plugin) && plugin.length > 0) {
    throw usageError('plugins do not travel: leave --plugin out, or run driftgate on the target itself', command)
  }
  const target = Array.isArray(options['target']) ? [] : undefined
  const carried = { command, operands: policies, words, options: { ...options, ...ARRIVED, target } }
  return {
    parcel: await packParcel({ ...carried, ...defined({ texts }) }),
    program: await programFile(binary),
    become: [
      ...(become?.split(/\s+/).filter((word) => word !== '') ?? []),
      ...(memoryMib === undefined ? [] : ['env', `NODE_OPTIONS=--max-old-space-size=${memoryMib}`]),
    ],
  }
}

/** Passes on what another machine says to people, which may be anything. */
export function sayingAll(io: Pick<Io, 'say'>): (text: string) => void {
  return (text) => {
    const lines = text.trimEnd().split('\n')
    if (text !== '') io.say(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''))
  }
}
