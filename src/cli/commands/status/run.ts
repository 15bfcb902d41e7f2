import { stringify } from 'yaml'
import { EXIT } from '../../../core/gate.ts'
import { escapeForTerminal } from '../../../core/escape.ts'
import { didYouMean } from '../../../core/suggest.ts'
import { type DescribableType, statusOf } from '../../../engine/status.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { createLocalTarget } from '../../../target/local/local-target.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { showText } from '../../show-value.ts'

/** What is to be shown, and how. */
export interface StatusRequest {
  readonly types: readonly ResourceType[]
  readonly type: string
  readonly names: readonly string[]
  readonly format: 'yaml' | 'json'
}

/** Prints the resources that are compliant with what is there, says what could not be seen, and returns the exit code. */
export async function showStatus({ types, type: wanted, names, format }: StatusRequest, io: Io): Promise<number> {
  const type = findType(types, wanted)
  const target = createLocalTarget()
  const { signal } = new AbortController()
  const seen: [name: string, properties: Readonly<Record<string, unknown>>][] = []
  type.announce?.(target, names)
  for (const name of names) {
    const reading = await statusOf(type, name, { target, signal })
    if (reading.kind === 'known') seen.push([name, reading.value])
    else io.say(`driftgate: ${escapeForTerminal(`${wanted}#${name}: ${reading.detail}`)}\n`)
  }
  if (format === 'json') {
    const resources = seen.map(([name, properties]) => ({ type: wanted, name, properties }))
    await io.print(`${JSON.stringify(resources, null, 2)}\n`)
  } else if (seen.length > 0) {
    const item = { [wanted]: seen.map(([name, properties]) => ({ [name]: properties })) }
    await io.print(showText(stringify([item], { lineWidth: 0 })))
  }
  return seen.length === names.length ? EXIT.ok : EXIT.undecided
}

function findType(types: readonly ResourceType[], wanted: string): DescribableType {
  const describable = types.filter((type): type is DescribableType => type.status !== undefined)
  const found = describable.find(({ type }) => type === wanted)
  if (found !== undefined) return found
  const known = describable.map(({ type }) => type)
  const isOther = types.some(({ type }) => type === wanted)
  throw usageError(
    isOther
      ? `what is there cannot be written down as a resource of type ${wanted}, only of ${known.join(', ')}`
      : `unknown type "${wanted}"${didYouMean(wanted, known)} (${known.join(', ')})`,
    'status',
  )
}
