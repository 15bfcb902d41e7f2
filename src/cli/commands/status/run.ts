import { stringify } from 'yaml'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { captureOf, selectCapturing, type CapturingType } from '../../../engine/capture.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { usageError } from '../../errors.ts'
import { loadExtensions } from '../../options/extension.ts'
import { targetOf } from '../../options/target.ts'
import type { Io } from '../../output/io.ts'
import { showText } from '../../output/show-value.ts'
import type { StatusInvocation } from './index.ts'

/** Prints resources that match the current state, reports unreadable ones, and returns the exit code. */
export async function runStatus(
  { operands: [wanted = '', ...names], options }: StatusInvocation,
  io: Io,
): Promise<number> {
  const type = findType((await loadExtensions(options, io)).types, wanted)
  const target = await targetOf(options)
  const { signal } = new AbortController()
  const looking = { target, signal, contents: 'none', isPrivateTaken: false } as const
  let isComplete = true
  const complain = (name: string, text: string): void => {
    isComplete = false
    io.say(`driftgate: ${escapeForTerminal(`${wanted}#${name}: ${text}`)}\n`)
  }
  const seen: [name: string, properties: Readonly<Record<string, unknown>>][] = []
  type.announce?.(target, names)
  for (const name of names) {
    const captured = await captureOf(type, name, looking)
    if (captured.kind === 'unknown') complain(name, captured.detail)
    else if (captured.properties === undefined) complain(name, 'absent, which this resource type cannot express')
    else {
      seen.push([name, captured.properties])
      const { unread = [] } = captured.kind === 'present' ? captured : {}
      for (const { property, detail } of unread) complain(name, `${property}: ${detail}`)
    }
  }
  if (options.json) {
    const resources = seen.map(([name, properties]) => ({ type: wanted, name, properties }))
    await io.print(`${JSON.stringify(resources, null, 2)}\n`)
  } else if (seen.length > 0) {
    const item = { [wanted]: seen.map(([name, properties]) => ({ [name]: properties })) }
    await io.print(showText(stringify([item], { lineWidth: 0 })))
  }
  return isComplete ? EXIT.ok : EXIT.undecided
}

function findType(types: readonly ResourceType[], wanted: string): CapturingType {
  const describable = selectCapturing(types)
  const found = describable.find(({ type }) => type === wanted)
  if (found !== undefined) return found
  const known = describable.map(({ type }) => type)
  const isOther = types.some(({ type }) => type === wanted)
  throw usageError(
    isOther
      ? `type ${wanted} cannot express the current state; supported: ${known.join(', ')}`
      : `unknown type "${wanted}"${didYouMean(wanted, known)} (${known.join(', ')})`,
    'status',
  )
}
