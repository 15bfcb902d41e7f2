import process from 'node:process'
import { createInterface } from 'node:readline'
import { escapeForTerminal } from '../../model/escape.ts'
import type { ResourceResult } from '../../model/run.ts'
import type { Reviewer } from '../../engine/review.ts'
import { SEVERITY_TONES } from '../../report/format.ts'
import { describeResource } from '../../report/words/describe.ts'
import { type Channel, layOut } from '../../report/words/rows.ts'
import type { Io } from '../output/io.ts'

const ANSWERS = { y: 'yes', n: 'no', a: 'all', q: 'quit' } as const

type Answer = (typeof ANSWERS)[keyof typeof ANSWERS]

const QUESTION = 'change it? [y]es, [n]o, [a]ll, [q]uit: '

/**
 * Shows each change on the terminal and prompts for approval. End of input and an abort mean `quit`. Prompts go to
 * standard error, as does all output except reports.
 */
export async function createReviewer(io: Io, signal: AbortSignal): Promise<Reviewer> {
  const channel = { escape: escapeForTerminal, paint: await io.paintMessages() }
  const nextLine = linesOfTerminal(signal)
  const answer = async (): Promise<Answer> => {
    for (;;) {
      io.say(QUESTION)
      const line = await nextLine()
      if (line === undefined) io.say('\n')
      const found = line === undefined ? 'quit' : meaningOf(line)
      if (found !== undefined) return found
    }
  }
  let last: Answer | undefined
  return async ({ result, isTried }) => {
    // A change that is not attempted needs no approval.
    if (!isTried) return undefined
    if (last !== 'all' && last !== 'quit') {
      io.say(inWords(result, channel))
      last = await answer()
    }
    if (last === 'yes' || last === 'all') return undefined
    return { kind: 'left', reason: last === 'no' ? 'declined at the prompt' : 'quit at the prompt' }
  }
}

function meaningOf(line: string): Answer | undefined {
  const said = line.trim().toLowerCase()
  return Object.entries(ANSWERS).find(([letter, word]) => said === letter || said === word)?.[1]
}

function inWords(result: ResourceResult, channel: Channel): string {
  const { id, path = [], severity } = result
  const name = [...path, id].map(channel.escape).join(' > ')
  const rows = layOut(describeResource(result, channel), channel.paint)
  const lines = [`${channel.paint(SEVERITY_TONES[severity], severity)}  ${name}`, ...rows.map((line) => `    ${line}`)]
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * Returns a line per call, undefined from the end of the input. The terminal handles line editing and signals;
 * type-ahead is kept. Only a pending read keeps the process alive.
 */
function linesOfTerminal(signal: AbortSignal): () => Promise<string | undefined> {
  const { stdin } = process
  const lines = createInterface({ input: stdin, terminal: false })[Symbol.asyncIterator]()
  stdin.unref()
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  return async () => {
    stdin.ref()
    const line = await Promise.race([lines.next(), aborted])
    stdin.unref()
    return line === undefined || line.done === true ? undefined : line.value
  }
}
