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
import type { RemoteSpec } from './spec.ts'
import { markerOf, startCommand } from './start-script.ts'

/** Response of the remote side instead of a started scanner. */
interface Refusal {
  /** A word of the start script, or `silence` without one; then `rest` is the standard output. */
  readonly word: string
  readonly rest: string
}

interface Circumstances {
  readonly carrier: Carrier
  readonly end: Extract<ExchangeEnd, { kind: 'ended' }>
  readonly order: Pick<RemoteJob, 'program' | 'become'>
}

/** Receives the messages of a job. */
export interface Ear<T> {
  /** When aborted, with a signal name as the reason, the remote work ends in an orderly way. */
  readonly signal: AbortSignal
  /** Handles a message line; returns the result if it was the last one. Throws a `SyntaxError` for an invalid line. */
  readonly hear: (line: string) => Promise<T | undefined>
}

/** Result of a job, or the reason of its failure as the end of a sentence after the target name. */
export type RemoteResult<T> =
  { readonly kind: 'heard'; readonly value: T } | { readonly kind: 'unreachable'; readonly message: string }

/**
 * Runs a job with the driftgate of a target, which is copied there if missing, and handles its messages. Throws an
 * `OperatorError` if the connection program is not installed here.
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
    if (refusal instanceof TimeOver) return await abandonExchange(exchange, carrier, refusal)
    if (refusal !== undefined) {
      const end = await exchange.end()
      if (end.kind === 'not-started') throw new OperatorError(`${carrier.name}: cannot be reached: ${end.reason}`)
      return unreachableResult(carrier, whyNotStarted(refusal, { carrier, end, order: job }))
    }
    ear.signal.removeEventListener('abort', giveUp)
    const heard = await countdown.within(conversation(exchange, { carrier, job, ear }))
    return heard instanceof TimeOver ? await abandonExchange(exchange, carrier, heard) : heard
  } finally {
    countdown.end()
    ear.signal.removeEventListener('abort', giveUp)
  }
}

/** Remote work ends in an orderly way when the connection does. */
async function abandonExchange(
  exchange: Exchange,
  carrier: Carrier,
  { message }: TimeOver,
): Promise<RemoteResult<never>> {
  await exchange.abandon()
  return unreachableResult(carrier, message)
}

function unreachableResult({ name }: Pick<Carrier, 'name'>, message: string): RemoteResult<never> {
  return { kind: 'unreachable', message: `${name}: ${message}` }
}

/** Waits until the remote scanner runs; sends the program on request. Returns the reason of a failure. */
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
    // The time to copy the program only counts towards the total limit.
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
    return unreachableResult(carrier, whyCut(await exchange.end(), carrier))
  } catch (error) {
    exchange.kill()
    await exchange.end()
    if (error instanceof OperatorError) return unreachableResult(carrier, error.message)
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return unreachableResult(carrier, `its output is not from driftgate: ${error.message}`)
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
  return `the connection was lost before the result was complete${reason === '' ? '' : `: ${reason}`}`
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}

/** Reason why the scanner did not start, and advice, as the end of a sentence about the target. */
export function whyNotStarted({ word, rest }: Refusal, circumstances: Circumstances): string {
  const { program } = circumstances.order
  switch (word) {
    case 'system':
      return `it runs ${rest}, but only Linux is supported`
    case 'missing':
      return `${describeInstalled(rest)}, and this npm installation of driftgate cannot be copied: install ${VERSION} there, or pass the single executable of ${VERSION} with --remote-binary`
    case 'machine':
      return `it is ${rest}, and ${program?.path ?? 'the program'} is for ${program?.machine ?? 'another machine'}: install driftgate ${VERSION} there, or pass the executable for ${rest} with --remote-binary`
    case 'no-sum':
      return `it has no sha256sum to verify a copy of driftgate: install driftgate ${VERSION} there`
    case 'nowhere':
      return `no private directory that allows execution for a copy of driftgate (${rest}): install driftgate ${VERSION} there`
    case 'damaged':
      return `the copy of driftgate is incomplete${lastWords(circumstances, ': ')}`
    case 'unfit':
      return describeIncompatibility(rest, program?.path ?? 'the program')
    default:
      return silence(circumstances, rest)
  }
}

function describeInstalled(version: string): string {
  return version === '' ? 'driftgate is not installed there' : `driftgate ${version} is installed there`
}

/** Explains the output of a program that cannot run: its loader, or another driftgate version. */
function describeIncompatibility(said: string, path: string): string {
  if (/GLIBC_|GLIBCXX_/.test(said)) {
    return `its C library is too old for ${path}, which needs glibc 2.28 and a matching C++ library: ${said}`
  }
  if (/error while loading shared libraries/.test(said)) return `a library that ${path} needs is missing there: ${said}`
  if (/not found|No such file/.test(said)) {
    return `${path} cannot be started there; its C library is probably not glibc: ${said}`
  }
  return `${path} does not run as driftgate ${VERSION} there; its output is: ${said === '' ? 'empty' : said}`
}

/** @see sh(1): 126 is a command that cannot be run, 127 one that is not there */
function silence(circumstances: Circumstances, output: string): string {
  const { end, carrier, order } = circumstances
  const meaning = carrier.explain(`${end.said}\n${output}`)
  if (meaning !== undefined) return meaning
  if (order.become.length > 0 && end.said !== '') {
    return `"${order.become.join(' ')}" did not start driftgate there${lastWords(circumstances, ': ')}`
  }
  if (end.exitCode === 127) return `it has no shell to start driftgate with${lastWords(circumstances, ': ')}`
  if (end.exitCode === 126) return `driftgate may not be started there${lastWords(circumstances, ': ')}`
  // A custom login shell reports errors on standard output; standard error may hold a banner.
  const said = output.split('\n').at(-1) ?? ''
  return `driftgate did not start there${said === '' ? lastWords(circumstances, ': ') : `: ${said}`}`
}

function lastWords({ end }: Circumstances, before: string): string {
  const said = end.said.trim().split('\n').at(-1)?.trim()
  return said === undefined || said === '' ? '' : `${before}${said}`
}
