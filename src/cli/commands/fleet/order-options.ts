import { parseDuration } from '../../../model/duration.ts'
import { LONGEST_ORDER_MS } from '../../../fleet/orders/order.ts'
import { parseWaves } from '../../../fleet/orders/waves.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { AUTHOR, REASON, RECORD_OPTIONS } from './assigning-options.ts'
import { FLEET_OPTION } from './members-options.ts'

/** What `driftgate fleet order` can do. */
export const ORDER_ACTIONS = ['draft', 'show', 'approve', 'send'] as const

function complainOfExpiry(text: string): string | undefined {
  const milliseconds = parseDuration(text) ?? 0
  return milliseconds > 0 && milliseconds <= LONGEST_ORDER_MS ? undefined : 'must be a span of time of at most 24h'
}

/** The options of `driftgate fleet order`. */
export const ORDER_OPTIONS = {
  ...FLEET_OPTION,
  host: {
    kind: 'list',
    group: 'Draft and show:',
    placeholder: 'NAME',
    summary: 'A host to fix; with show only what changes on it; repeatable',
  },
  policy: {
    kind: 'value',
    group: 'Draft:',
    placeholder: 'ID',
    summary: 'The policy that the differences are from; may be absent where the hosts are assigned one only',
  },
  resource: {
    kind: 'list',
    group: 'Draft:',
    placeholder: 'TYPE#NAME',
    summary: 'What is to be repaired, with * and ?; all that can be where it is absent',
  },
  'not-before': {
    kind: 'value',
    group: 'Draft:',
    placeholder: 'TIME',
    complain: (text) => (Number.isNaN(Date.parse(text)) ? 'must be a time such as 2026-01-31T03:00:00Z' : undefined),
    summary: 'When hosts may begin; at once where it is absent',
  },
  expires: {
    kind: 'value',
    group: 'Draft:',
    placeholder: 'DURATION',
    complain: complainOfExpiry,
    summary: 'How long they may begin from then on, at most 24h; 8h where it is absent',
  },
  key: {
    kind: 'value',
    group: 'Approve:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'The private key of who approves; "driftgate evidence key" makes a pair',
  },
  format: {
    kind: 'text',
    group: 'Draft and show:',
    placeholder: 'FORMAT',
    choices: ['text', 'html'],
    default: 'text',
    summary: 'With show: a table for the terminal, or a page for a browser',
  },
  waves: {
    kind: 'value',
    group: 'Send:',
    placeholder: 'WAVES',
    complain: (text) => (parseWaves(text) === undefined ? 'must be numbers or shares, such as 1,10%,rest' : undefined),
    summary: 'How many hosts get it at a time, such as 1,10%,rest: the next ones once all before have answered',
  },
  tolerate: {
    kind: 'value',
    group: 'Send:',
    placeholder: 'N',
    complain: (text) => (/^\d{1,6}$/.test(text) ? undefined : 'must be a number of hosts'),
    summary: 'How many hosts may refuse it or fail before the next wave gets nothing; 0 where it is absent',
  },
  wait: { kind: 'flag', group: 'Send:', summary: 'Wait until the last hosts have answered, too, or it has expired' },
  ...REASON,
  ...AUTHOR,
} as const satisfies OptionSpecs

/** The options of `driftgate fleet orders`. */
export const ORDERS_OPTIONS = RECORD_OPTIONS

/** The options of `driftgate fleet approvers`. */
export const APPROVERS_OPTIONS = {
  ...FLEET_OPTION,
  needed: {
    kind: 'value',
    group: 'Approvers:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d?$/.test(text) ? undefined : 'must be a number from 1 on'),
    summary: 'How many of them have to approve an order',
  },
} as const satisfies OptionSpecs

/** Their values. */
export type OrderFlags = OptionsOf<typeof ORDER_OPTIONS>
export type ApproversFlags = OptionsOf<typeof APPROVERS_OPTIONS>

/** What `driftgate fleet order` is asked to do. */
export type OrderInvocation = Invocation<OrderFlags>
