import { parseDuration } from '../../../model/duration.ts'
import { LONGEST_ORDER_MS } from '../../../fleet/orders/order.ts'
import { parseWaves } from '../../../fleet/orders/waves.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { AUTHOR, REASON, RECORD_OPTIONS } from './assigning-options.ts'
import { FLEET_OPTION } from './members-options.ts'

export const ORDER_ACTIONS = ['draft', 'show', 'approve', 'send'] as const

function complainOfExpiry(text: string): string | undefined {
  const milliseconds = parseDuration(text) ?? 0
  return milliseconds > 0 && milliseconds <= LONGEST_ORDER_MS ? undefined : 'must be a duration of at most 24h'
}

export const ORDER_OPTIONS = {
  ...FLEET_OPTION,
  host: {
    kind: 'list',
    group: 'Draft and show:',
    placeholder: 'NAME',
    summary: 'Host to fix, or to show (repeatable)',
  },
  policy: {
    kind: 'value',
    group: 'Draft:',
    placeholder: 'ID',
    summary: 'Policy of the drift (optional if hosts have one policy)',
  },
  resource: {
    kind: 'list',
    group: 'Draft:',
    placeholder: 'TYPE#NAME',
    summary: 'Resources to fix, with * and ? (default: all that can be fixed)',
  },
  'not-before': {
    kind: 'value',
    group: 'Draft:',
    placeholder: 'TIME',
    complain: (text) => (Number.isNaN(Date.parse(text)) ? 'must be a time such as 2026-01-31T03:00:00Z' : undefined),
    summary: 'Earliest start (default: now)',
  },
  expires: {
    kind: 'value',
    group: 'Draft:',
    placeholder: 'DURATION',
    complain: complainOfExpiry,
    summary: 'Time window for the start, at most 24h (default: 8h)',
  },
  key: {
    kind: 'value',
    group: 'Approve:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Private key of the approver (see "driftgate evidence key")',
  },
  format: {
    kind: 'text',
    group: 'Draft and show:',
    placeholder: 'FORMAT',
    choices: ['text', 'html'],
    default: 'text',
    summary: 'Output format of show',
  },
  waves: {
    kind: 'value',
    group: 'Send:',
    placeholder: 'WAVES',
    complain: (text) =>
      parseWaves(text) === undefined ? 'must be numbers or percentages, such as 1,10%,rest' : undefined,
    summary: 'Waves of hosts, such as 1,10%,rest',
  },
  tolerate: {
    kind: 'value',
    group: 'Send:',
    placeholder: 'N',
    complain: (text) => (/^\d{1,6}$/.test(text) ? undefined : 'must be a number of hosts'),
    summary: 'Number of failed hosts allowed before the next wave (default: 0)',
  },
  wait: { kind: 'flag', group: 'Send:', summary: 'Wait until all hosts have answered or the order has expired' },
  ...REASON,
  ...AUTHOR,
} as const satisfies OptionSpecs

export const ORDERS_OPTIONS = RECORD_OPTIONS

export const APPROVERS_OPTIONS = {
  ...FLEET_OPTION,
  needed: {
    kind: 'value',
    group: 'Approvers:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d?$/.test(text) ? undefined : 'must be a number of at least 1'),
    summary: 'Number of approvals that an order requires',
  },
} as const satisfies OptionSpecs

export type OrderFlags = OptionsOf<typeof ORDER_OPTIONS>
export type ApproversFlags = OptionsOf<typeof APPROVERS_OPTIONS>

export type OrderInvocation = Invocation<OrderFlags>
