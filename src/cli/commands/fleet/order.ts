import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { parseDuration } from '../../../model/duration.ts'
import { LONGEST_ORDER_MS } from '../../../fleet/orders/order.ts'
import { parseWaves } from '../../../fleet/orders/waves.ts'
import { AUTHOR, REASON, RECORD_OPTIONS } from './assigning.ts'
import { FLEET_OPTION } from './members.ts'

export const ORDER_ACTIONS = ['draft', 'show', 'approve', 'send'] as const

const ORDER_OPTIONS = {
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

const ORDERS_OPTIONS = RECORD_OPTIONS

const APPROVERS_OPTIONS = {
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

const approvers = defineCommand({
  name: 'fleet approvers',
  summary: 'Set the approvers of fix orders',
  details: `Hosts enrolled later receive the list. On other hosts, install operator/approvers.json of the fleet in
/etc/driftgate/agent, owned by root; without that file a host accepts no orders.`,
  operands: {
    name: 'FILE',
    summary: 'public key file, named after the approver',
    atLeast: 1,
    atMost: 32,
  },
  options: APPROVERS_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet approvers --needed 2 anna.key.pub ben.key.pub carl.key.pub',
      summary: 'Require two of three approvers',
    },
  ],
  run: async (invocation, io) => (await import('./run-order.ts')).runApprovers(invocation, io),
})

const order = defineCommand({
  name: 'fleet order',
  summary: 'Order fixes on hosts, after approval',
  details: `Actions
  draft    Sign an order for the drift in the last reports of the hosts, and print it; nothing is sent
  show     Show the changes per host and the approvals
  approve  Add an approval to the file, on any host
  send     Send the order to the hosts, once it has enough approvals

A host executes an order once, in its time window, and only if its drift and its policy are exactly as approved;
otherwise it refuses. It fixes these resources only and then audits everything again. "driftgate undo" on the host
reverts the order. "driftgate fleet orders" shows the results.

Exit codes
  0  done; with --wait or --waves on every host
  1  nothing sent: not approved, expired, or no server
  4  with --wait or --waves, a host refused, failed or did not answer; later waves were not started`,
  operands: {
    name: 'ACTION FILE',
    summary: 'an action, and for all but draft the order file',
    atLeast: 1,
    atMost: 2,
  },
  options: ORDER_OPTIONS,
  examples: [
    {
      command: "driftgate fleet order draft --host web01 --resource 'file#/etc/ssh/*' --reason CHG-1234 > order.json",
      summary: 'Draft an order',
    },
    {
      command: 'driftgate fleet order show order.json --format html > order.html',
      summary: 'Render the order as HTML for review',
    },
    {
      command: 'driftgate fleet order approve order.json --key anna.key',
      summary: 'Approve after review',
    },
    { command: 'driftgate fleet order send order.json --waves 1,10%,rest', summary: 'Start with one host' },
  ],
  run: async (invocation, io) => (await import('./run-order.ts')).runOrder(invocation, io),
})

const orders = defineCommand({
  name: 'fleet orders',
  summary: 'Show recent fix orders and their results',
  details: `Status of a host
  unsent   In a later wave
  pending  Sent, no answer yet
  done     Everything fixed
  refused  Nothing changed: the host differs from what was approved, or accepts no such orders
  failed   Started, but not everything is fixed
  expired  No answer in time; the host does not start the order any more

Exit codes
  0  orders shown
  1  the server does not answer
  3  the server has entries without a valid signature; they are marked`,
  operands: { name: 'ID', summary: 'an order, with its hosts (default: all orders)', atLeast: 0, atMost: 1 },
  options: ORDERS_OPTIONS,
  examples: [{ command: 'driftgate fleet orders', summary: 'List orders' }],
  run: async (invocation, io) => (await import('./run-order.ts')).runOrders(invocation, io),
})

/** Commands for fix orders. */
export const ORDERING: readonly Command[] = [approvers, order, orders]

function complainOfExpiry(text: string): string | undefined {
  const milliseconds = parseDuration(text) ?? 0
  return milliseconds > 0 && milliseconds <= LONGEST_ORDER_MS ? undefined : 'must be a duration of at most 24h'
}
