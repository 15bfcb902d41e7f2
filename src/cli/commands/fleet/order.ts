import { type Command, defineCommand } from '../../command.ts'
import { APPROVERS_OPTIONS, ORDER_OPTIONS, ORDERS_OPTIONS } from './order-options.ts'

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
