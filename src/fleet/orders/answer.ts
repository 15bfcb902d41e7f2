import { membersOf } from '../../model/members-of.ts'
import { defined } from '../../model/defined.ts'
import { type Envelope, envelopeOf, isSignedBy, sealEnvelope } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { isText, isTime } from '../messages/sender.ts'
import { valueOfJson } from '../nats/json.ts'
import { isUuid } from './order.ts'

/** Outcomes of an order on a host. */
export const ANSWER_STATES = ['done', 'refused', 'failed'] as const

/** Answer of a host to an order, signed with the host key. */
export interface Answer {
  readonly schema: typeof SCHEMA
  /** Id of the order. */
  readonly order: string
  readonly host: string
  readonly state: (typeof ANSWER_STATES)[number]
  /** Reason or result, as a sentence. */
  readonly text: string
  /** Time by the clock of the host, in ISO 8601. */
  readonly at: string
  /** Run that carried out the order, even if incomplete. */
  readonly run?: string
}

const SCHEMA = 'driftgate.order-answer/v1'
const PAYLOAD = 'application/vnd.driftgate.order-answer+json'
const LONGEST_TEXT = 2000

/** Signs an answer with the private key of the host. Truncates a long text. */
export function signAnswer({ text, ...answer }: Omit<Answer, 'schema'>, key: Key): Envelope {
  const said = { schema: SCHEMA, ...answer, text: text.slice(0, LONGEST_TEXT) }
  return sealEnvelope(PAYLOAD, Buffer.from(JSON.stringify(said)), key)
}

/** Opens an answer signed with the key; otherwise returns the reason for rejecting it. */
export function openAnswer(value: unknown, key: Key): { readonly answer: Answer } | { readonly message: string } {
  const envelope = envelopeOf(PAYLOAD, value)
  if ('message' in envelope) return envelope
  if (!isSignedBy(envelope, key)) return { message: 'it is not signed by the key of its host' }
  const answer = answerIn(valueOfJson(Buffer.from(envelope.payload, 'base64')))
  return answer === undefined ? { message: `the signed content is not ${SCHEMA}` } : { answer }
}

function answerIn(value: unknown): Answer | undefined {
  const { schema, order, host, text, at, run, ...rest } = membersOf<keyof Answer>(value)
  const state = ANSWER_STATES.find((known) => known === rest.state)
  if (schema !== SCHEMA || !isUuid(order) || !isText(host) || state === undefined || !isTime(at)) return undefined
  if (typeof text !== 'string' || text.length > LONGEST_TEXT || (run !== undefined && !isText(run))) return undefined
  return { schema, order, host, state, text, at, ...defined({ run }) }
}
