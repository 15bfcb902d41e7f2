import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import type { Key } from '../../host/signing/keys.ts'
import { lastValue, storeMessage } from '../nats/jetstream.ts'
import { valueOfJson } from '../nats/json.ts'
import { ANSWERS, answerSubject, BUCKETS, hostOfAnswer, readAddressee, valueSubject } from '../nats/names.ts'
import { streamMessages, streamRange } from '../nats/stream-messages.ts'
import { type Answer, openAnswer } from './answer.ts'
import { hostsOf, openOrder, readOrder, type SignedOrder } from './order.ts'

/** A sent order with its answers. */
export interface StoredOrder extends SignedOrder {
  readonly sentTo: ReadonlySet<string>
  /** Last answer of each host. */
  readonly answers: ReadonlyMap<string, Answer>
}

export interface StoredOrders {
  /** In the order in which they were first sent. */
  readonly orders: readonly StoredOrder[]
  /** Items without a valid signature, as sentences. */
  readonly troubles: readonly string[]
}

/** Fits into one message with the JSON overhead: servers accept 1 MB. */
const LARGEST_VALUE_BYTES = 900 * 1024

/** Retries after concurrent writes. */
const TRIES = 5

/** Pending orders of a host, unverified. Throws an `OperatorError` if they cannot be read. */
export async function ordersFor(line: Line, host: string): Promise<readonly unknown[]> {
  const value = await lastValue(line, BUCKETS.orders, `host.${host}`)
  return value === undefined ? [] : listIn(value.bytes)
}

function listIn(bytes: Uint8Array): readonly unknown[] {
  const value = valueOfJson(bytes)
  return Array.isArray(value) ? value : []
}

/** Adds an order to the pending ones of a host; idempotent. Throws an `OperatorError`; the order is then not sent. */
export async function sendOrder(line: Line, { order, envelope }: SignedOrder, host: string): Promise<void> {
  const key = `host.${host}`
  for (let tries = 0; tries < TRIES; tries++) {
    const value = await lastValue(line, BUCKETS.orders, key)
    const waiting = value === undefined ? [] : listIn(value.bytes).filter(isWaiting)
    if (waiting.some((each) => idOf(each) === order.id)) return
    const body = JSON.stringify([...waiting, envelope])
    if (body.length > LARGEST_VALUE_BYTES)
      throw new OperatorError(`too many orders are pending for ${host}: wait until they expire or are executed`)
    const after = value?.sequence ?? 0
    if (await storeMessage(line, valueSubject(BUCKETS.orders, key), { body, after })) return
  }
  throw new OperatorError(`too many concurrent orders for ${host}: not sent, try again`)
}

function isWaiting(value: unknown): boolean {
  const read = readOrder(value)
  return 'order' in read && Date.parse(read.order.expires) > Date.now()
}

function idOf(value: unknown): string | undefined {
  const read = readOrder(value)
  return 'order' in read ? read.order.id : undefined
}

/** Stores a host's answer to an order; resolves once the server has it. Throws an `OperatorError`. */
export async function tellAnswer(line: Line, host: string, envelope: unknown): Promise<void> {
  await storeMessage(line, answerSubject(host), { body: JSON.stringify(envelope) })
}

/** All orders of the last days with the answers of hosts. Throws an `OperatorError` if they cannot be read. */
export async function storedOrders(
  line: Line,
  operator: Key,
  keyOf: (host: string) => Key | undefined,
): Promise<StoredOrders> {
  const troubles = new Set<string>()
  const orders = new Map<
    string,
    SignedOrder & { readonly sentTo: Set<string>; readonly answers: Map<string, Answer> }
  >()
  for await (const { subject, body } of messagesOf(line, `KV_${BUCKETS.orders}`)) {
    const to = readAddressee(subject.slice(valueSubject(BUCKETS.orders, '').length))
    const host = to?.slice('host.'.length)
    for (const value of listIn(body)) {
      const opened = openOrder(value, operator)
      if ('message' in opened) troubles.add(`an order for ${host ?? subject}: ${opened.message}`)
      else if (host !== undefined) {
        const known = orders.get(opened.order.id) ?? { ...opened, sentTo: new Set(), answers: new Map() }
        orders.set(opened.order.id, known)
        known.sentTo.add(host)
      }
    }
  }
  for await (const { subject, body } of messagesOf(line, ANSWERS)) {
    const host = hostOfAnswer(subject)
    const key = host === undefined ? undefined : keyOf(host)
    const opened = key === undefined ? { message: 'the roster has no key of it' } : openAnswer(valueOfJson(body), key)
    if ('message' in opened) troubles.add(`an answer of ${host ?? subject}: ${opened.message}`)
    else if (opened.answer.host !== host) troubles.add(`an answer of ${host}: it is of ${opened.answer.host}`)
    else {
      const known = orders.get(opened.answer.order)
      // Answers to orders for other hosts are ignored.
      if (known !== undefined && hostsOf(known.order).includes(host)) known.answers.set(host, opened.answer)
    }
  }
  return { orders: [...orders.values()], troubles: [...troubles] }
}

async function* messagesOf(line: Line, stream: string): AsyncGenerator<{ subject: string; body: Buffer }> {
  yield* streamMessages(line, stream, await streamRange(line, stream))
}
