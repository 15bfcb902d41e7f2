import { randomUUID } from 'node:crypto'
import { OperatorError } from '../core/operator-error.ts'
import type { Run } from '../core/run.ts'
import { VERSION } from '../engine/version.ts'
import { checkReport } from '../stored/read-report.ts'
import type { Carrier } from './carriers/carrier.ts'
import { carrierOf } from './carriers/index.ts'
import { type Exchange, type ExchangeEnd, startExchange } from './exchange.ts'
import { createListener, type RemoteWatch } from './listener.ts'
import type { Parcel } from './parcel.ts'
import { BEAT, BEAT_MS } from './protocol.ts'
import type { ScanOrder } from './scan-order.ts'
import type { RemoteSpec } from './spec.ts'
import { markerOf, startCommand } from './start-script.ts'
import { whyNotStarted, type Refusal } from './refusal.ts'

export type { RemoteWatch } from './listener.ts'

/** A run that is as whole as one of this machine, or why there is none. */
export type ScannedThere =
  { readonly kind: 'performed'; readonly run: Run } | { readonly kind: 'unreachable'; readonly message: string }

/**
 * Has a place scanned by the driftgate there, which is brought if it is missing, and gives the run that it reports. What it tells on the way is
 * told to `watch`, whose signal interrupts the scan there in an orderly way. Whatever is said by a
 * place is checked, and a scan whose end was not heard is none.
 */
export async function scanThere(spec: RemoteSpec, order: ScanOrder, watch: RemoteWatch): Promise<ScannedThere> {
  const carrier = carrierOf(spec)
  const nonce = randomUUID()
  const { program, become } = order
  const exchange = startExchange(carrier.commandLine(startCommand({ nonce, version: VERSION, program, become })))
  const giveUp = (): void => exchange.kill()
  watch.signal.addEventListener('abort', giveUp)
  if (watch.signal.aborted) giveUp()
  try {
    const refusal = await untilHello(exchange, markerOf(nonce), order)
    if (refusal !== undefined) {
      return unreachable(carrier, whyNotStarted(refusal, { carrier, end: await exchange.end(), order }))
    }
  } finally {
    watch.signal.removeEventListener('abort', giveUp)
  }
  return conversation(exchange, { carrier, order, watch, spec })
}

function unreachable({ name }: Pick<Carrier, 'name'>, message: string): ScannedThere {
  return { kind: 'unreachable', message: `${name}: ${message}` }
}

/** Waits until the scanner there runs, and sends the program if it is asked for. Gives what kept it from running. */
async function untilHello(exchange: Exchange, marker: string, { program }: ScanOrder): Promise<Refusal | undefined> {
  for (;;) {
    const line = await exchange.reader.line()
    if (line === undefined) return { word: 'silence', rest: '' }
    if (!line.startsWith(marker)) continue
    const [word = '', ...rest] = line.slice(marker.length).split(' ')
    if (word === 'hello') return undefined
    if (word !== 'need' || program === undefined) return { word, rest: rest.join(' ') }
    await exchange.writeFile(program.path)
  }
}

interface Talk {
  readonly spec: RemoteSpec
  readonly carrier: Carrier
  readonly order: ScanOrder
  readonly watch: RemoteWatch
}

async function conversation(
  exchange: Exchange,
  { spec: { kind }, carrier, order: { parcel }, watch }: Talk,
): Promise<ScannedThere> {
  const interrupt = (): void => void exchange.write(`${String(watch.signal.reason)}\n`)
  const beat = setInterval(() => void exchange.write(`${BEAT}\n`), BEAT_MS)
  const sending = send(exchange, parcel).then(() => {
    if (watch.signal.aborted) interrupt()
    else watch.signal.addEventListener('abort', interrupt)
  })
  const listener = createListener(kind, watch)
  try {
    for (let line = await exchange.reader.line(); line !== undefined; line = await exchange.reader.line()) {
      const run = await listener.hear(line)
      if (run !== undefined) {
        await exchange.end()
        const checked = await checkReport(run, `from ${carrier.name}`)
        return { kind: 'performed', run: { ...checked, target: { ...checked.target, kind } } }
      }
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
    watch.signal.removeEventListener('abort', interrupt)
    await sending
  }
}

async function send(exchange: Exchange, { order, contents }: Parcel): Promise<void> {
  await exchange.write(`${JSON.stringify(order)}\n`)
  for (const bytes of contents) await exchange.write(bytes)
}

function whyCut(end: ExchangeEnd, carrier: Carrier): string {
  const said = end.kind === 'ended' ? end.said : end.reason
  const reason = carrier.explain(said) ?? lastLine(said)
  return `the scan there ended before its report was heard, so nothing is known of it${reason === '' ? '' : `: ${reason}`}`
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}
