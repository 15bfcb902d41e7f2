import { type Command, defineCommand } from '../../command.ts'
import { APPROVERS_OPTIONS, ORDER_OPTIONS, ORDERS_OPTIONS } from './order-options.ts'

const approvers = defineCommand({
  name: 'fleet approvers',
  summary: 'Say whose approval it takes that hosts are repaired: public keys, and how many of them',
  details: `Hosts that are enrolled afterwards are told so. Others take no orders before operator/approvers.json of the fleet lies in
their /etc/driftgate/agent, owned by root; without that file a host never takes any.`,
  operands: {
    name: 'FILE',
    summary: 'a public key; its name without endings is that of the approver',
    atLeast: 1,
    atMost: 32,
  },
  options: APPROVERS_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet approvers --needed 2 anna.key.pub ben.key.pub carl.key.pub',
      summary: 'Two of three have to approve',
    },
  ],
  run: async (invocation, io) => (await import('./run-order.ts')).runApprovers(invocation, io),
})

const order = defineCommand({
  name: 'fleet order',
  summary: 'Have differences repaired on hosts, after others have approved just these',
  details: `What to do
  draft    Sign an order for what the last reports of hosts say, and print it; nothing is sent
  show     What changes on which host from what to what, and who has approved it
  approve  Sign it, too, in the file: for whoever may, on whatever machine
  send     Give it to the hosts, once enough have approved

A host carries it out once, in its time, and only where every one of its differences is still the one that was approved, with
the policy that was; else it refuses. It repairs these resources and nothing else, then looks at everything again.
"driftgate undo" on the host takes it back. "driftgate fleet orders" shows what became of it.

Exit codes
  0  it was done; with --wait or --waves every host has carried it out
  1  it could not be: the order is not approved, has expired, or the server is away; nothing was sent
  4  with --wait or --waves: a host refused, failed or did not answer in time; later waves got nothing`,
  operands: {
    name: 'ACTION FILE',
    summary: 'what to do, and with all but draft the file of the order',
    atLeast: 1,
    atMost: 2,
  },
  options: ORDER_OPTIONS,
  examples: [
    {
      command: "driftgate fleet order draft --host web01 --resource 'file#/etc/ssh/*' --reason CHG-1234 > order.json",
      summary: 'What is to be repaired',
    },
    {
      command: 'driftgate fleet order show order.json --format html > order.html',
      summary: 'The same as a page, for who approves',
    },
    {
      command: 'driftgate fleet order approve order.json --key anna.key',
      summary: 'By somebody else, who has looked at it',
    },
    { command: 'driftgate fleet order send order.json --waves 1,10%,rest', summary: 'One host first' },
  ],
  run: async (invocation, io) => (await import('./run-order.ts')).runOrder(invocation, io),
})

const orders = defineCommand({
  name: 'fleet orders',
  summary: 'Show the orders of the last days, and what became of them on each host',
  details: `How it stands with a host
  unsent   It is in a later wave
  pending  It was sent, and the host has not answered
  done     Everything of it is repaired
  refused  Nothing was changed: something is not as it was approved, or the host takes no such orders
  failed   It was begun, and not everything is repaired
  expired  The host has not answered in time, and does not begin any more

Exit codes
  0  it was shown
  1  the server does not tell
  3  the server has something that nobody has signed who may; it is shown as such`,
  operands: { name: 'ID', summary: 'an order, host by host; all of them where it is absent', atLeast: 0, atMost: 1 },
  options: ORDERS_OPTIONS,
  examples: [{ command: 'driftgate fleet orders', summary: 'A line for each order' }],
  run: async (invocation, io) => (await import('./run-order.ts')).runOrders(invocation, io),
})

/** The commands by which hosts are repaired. */
export const ORDERING: readonly Command[] = [approvers, order, orders]
