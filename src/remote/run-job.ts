import { randomUUID } from 'node:crypto'
import { OperatorError } from '../model/operator-error.ts'
import { VERSION } from '../engine/version.ts'
import type { Carrier } from './carriers/carrier.ts'
import { carrierOf } from './carriers/index.ts'
import type { RemoteJob } from './job.ts'
import { type Exchange, type ExchangeEnd, startExchange } from './exchange.ts'
import { type Countdown, startCountdown, TimeOver } from './limits.ts'
import type { Payload } from './payload.ts'
import { BEAT, BEAT_MS } from './protocol.ts'
import { type Refusal, whyNotStarted } from './refusal.ts'
import type { RemoteSpec } from './spec.ts'
import { markerOf, startCommand } from './start-script.ts'

/** Who waits for what comes of it. */
export interface Ear<T> {
  /** Aborting it, with the name of a signal as the reason, has the work there end in an orderly way. */
  readonly signal: AbortSignal
  /** Takes a line, and gives what came of it if that was the last; throws a `SyntaxError` for what cannot be understood. */
  readonly hear: (line: string) => Promise<T | undefined>
}

/** What came of it, or why nothing is known of that: the end of a sentence behind the name of the place. */
export type RemoteResult<T> =
  { readonly kind: 'heard'; readonly value: T } | { readonly kind: 'unreachable'; readonly message: string }

/**
 * Has the driftgate of a place, which is brought if it is missing, do something, and hears what it says until the last line. Throws an
 * `OperatorError` where the program that leads there is not installed here.
 */
export async function runJob<T>(spec: RemoteSpec, job: RemoteJob, ear: Ear<T>): Promise<RemoteResult<T>> {
  const carrier = carrierOf(spec)
  const nonce = randomUUID()
  const { program, become } = job
  const exchange = startExchange(carrier.commandLine(startCommand({ nonce, version: VERSION, program, become })))
  const giveUp = (): void => exchange.kill()
  ear.signal.addEventListener('abort', giveUp)
  if (ear.signal.aborted) giveUp()
  const countdown = startCountdown(job.limits)
  try {
    const refusal = await countdown.within(untilHello(exchange, markerOf(nonce), { job, countdown }))
    if (refusal instanceof TimeOver) return await abandoned(exchange, carrier, refusal)
    if (refusal !== undefined) {
      const end = await exchange.end()
      if (end.kind === 'not-started') throw new OperatorError(`${carrier.name}: cannot be asked: ${end.reason}`)
      return unreachable(carrier, whyNotStarted(refusal, { carrier, end, order: job }))
    }
    ear.signal.removeEventListener('abort', giveUp)
    const heard = await countdown.within(conversation(exchange, { carrier, job, ear }))
    return heard instanceof TimeOver ? await abandoned(exchange, carrier, heard) : heard
  } finally {
    countdown.end()
    ear.signal.removeEventListener('abort', giveUp)
  }
}

/** What works there ends in an orderly way when the connection does. */
async function abandoned(exchange: Exchange, carrier: Carrier, { message }: TimeOver): Promise<RemoteResult<never>> {
  await exchange.abandon()
  return unreachable(carrier, message)
}

function unreachable({ name }: Pick<Carrier, 'name'>, message: string): RemoteResult<never> {
  return { kind: 'unreachable', message: `${name}: ${message}` }
}

/** Waits until the scanner there runs, and sends the program if it is asked for. Gives what kept it from running. */
async function untilHello(
  exchange: Exchange,
  marker: string,
  { job: { program }, countdown }: { readonly job: RemoteJob; readonly countdown: Countdown },
): Promise<Refusal | undefined> {
  for (;;) {
    const line = await exchange.reader.line()
    if (line === undefined) return { word: 'silence', rest: exchange.reader.lastLines() }
    if (!line.startsWith(marker)) continue
    const [word = '', ...rest] = line.slice(marker.length).split(' ')
    if (word === 'hello') {
      countdown.connected()
      return undefined
    }
    if (word !== 'need' || program === undefined) return { word, rest: rest.join(' ') }
    // However long a copy takes on its way, that is the time of the whole.
    countdown.connected()
    await exchange.writeFile(program.path)
    countdown.answered()
  }
}

interface Talk<T> {
  readonly carrier: Carrier
  readonly job: RemoteJob
  readonly ear: Ear<T>
}

async function conversation<T>(
  exchange: Exchange,
  { carrier, job: { payload }, ear: { signal, hear } }: Talk<T>,
): Promise<RemoteResult<T>> {
  const interrupt = (): void => void exchange.write(`${String(signal.reason)}\n`)
  const beat = setInterval(() => void exchange.write(`${BEAT}\n`), BEAT_MS)
  const sending = send(exchange, payload).then(() => {
    if (signal.aborted) interrupt()
    else signal.addEventListener('abort', interrupt)
  })
  try {
    for (let line = await exchange.reader.line(); line !== undefined; line = await exchange.reader.line()) {
      const value = await hear(line)
      if (value === undefined) continue
      await exchange.end()
      return { kind: 'heard', value }
    }
    return unreachable(carrier, whyCut(await exchange.end(), carrier))
  } catch (error) {
    exchange.kill()
    await exchange.end()
    if (error instanceof OperatorError) return unreachable(carrier, error.message)
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return unreachable(carrier, `what it says is not what driftgate says: ${error.message}`)
    }
    throw error
  } finally {
    clearInterval(beat)
    signal.removeEventListener('abort', interrupt)
    await sending
  }
}

async function send(exchange: Exchange, { order, contents }: Payload): Promise<void> {
  await exchange.write(`${JSON.stringify(order)}\n`)
  for (const bytes of contents) await exchange.write(bytes)
}

function whyCut(end: ExchangeEnd, carrier: Carrier): string {
  const said = end.kind === 'ended' ? end.said : end.reason
  const reason = carrier.explain(said) ?? lastLine(said)
  return `the connection ended before everything was heard, so nothing is known of it${reason === '' ? '' : `: ${reason}`}`
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}
