import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { countOf } from '../../../model/count-of.ts'
import { defined } from '../../../model/defined.ts'
import { parseDuration } from '../../../model/duration.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { attempt, OperatorError } from '../../../model/operator-error.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { fleetHome } from '../../../fleet/nats/home.ts'
import { valueOfJson } from '../../../fleet/nats/json.ts'
import { asOperator, noteForLater } from '../../../fleet/nats/operator.ts'
import { approversIn, approversText, readApprovers } from '../../../fleet/orders/approvers.ts'
import { dispatchOrder, hostKeys, selectFailed } from '../../../fleet/orders/dispatch.ts'
import { draftOrder } from '../../../fleet/orders/draft-order.ts'
import { LARGEST_ORDER_BYTES, readOrder, type SignedOrder } from '../../../fleet/orders/order.ts'
import { isSettled, standingsOf } from '../../../fleet/orders/standing.ts'
import { storedOrders, type StoredOrder } from '../../../fleet/orders/stored-orders.ts'
import { parseWaves } from '../../../fleet/orders/waves.ts'
import { orderPage } from '../../../fleet/web/order-page.ts'
import { signedToo } from '../../../host/signing/envelope.ts'
import { readPrivateKey, readPublicKey } from '../../../host/signing/keys.ts'
import { replaceFile } from '../../../host/live/own-file.ts'
import { readWhole } from '../../../host/live/read-whole.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import type { Io } from '../../output/io.ts'
import type { RecordFlags } from './assigning.ts'
import { type ApproversFlags, ORDER_ACTIONS, type OrderFlags, type OrderInvocation } from './order.ts'
import { showOrder, showOrderedHosts, showOrders, signersOf } from './show-order.ts'
import { whoAmI } from './who-am-i.ts'

const FLEET = 'fleet'
const COMMAND = 'fleet order'
const EXPIRES = '8h'

/** Drafts, shows, approves or sends an order. Throws an `OperatorError`, as do the other commands here. */
export async function runOrder({ operands: [word, file], options }: OrderInvocation, io: Io): Promise<number> {
  const action = ORDER_ACTIONS.find((known) => known === word)
  if (action === undefined)
    throw usageError(`${JSON.stringify(word)} is not one of ${ORDER_ACTIONS.join(', ')}`, COMMAND)
  if (action === 'draft') return await draft(options, io)
  if (file === undefined) throw usageError(`missing FILE: the order to ${action}`, COMMAND)
  if (action === 'show') return await show(file, options, io)
  if (action === 'approve') return await approve(file, options, io)
  return await send(file, options, io)
}

async function draft(options: OrderFlags, io: Io): Promise<number> {
  const { host: hosts, resource: resources, policy, reason = '', author = whoAmI(), fleet = FLEET } = options
  if (hosts.length === 0) throw usageError('missing --host NAME', COMMAND)
  if (reason.trim() === '') throw usageError('missing --reason TEXT: approvers and hosts see it', COMMAND)
  const begin = options['not-before'] === undefined ? Date.now() : Date.parse(options['not-before'])
  const end = begin + (parseDuration(options.expires ?? EXPIRES) ?? 0)
  const [notBefore, expires] = [begin, end].map((ms) => new Date(ms).toISOString()) as [string, string]
  const about = { hosts: [...new Set(hosts)], resources, reason, author, notBefore, expires, ...defined({ policy }) }
  await io.print(`${JSON.stringify(await draftOrder(fleet, about), null, 2)}\n`)
  io.say('driftgate: next: driftgate fleet order show FILE, then driftgate fleet order approve FILE by an approver\n')
  return EXIT.ok
}

async function show(file: string, { fleet = FLEET, format, host }: OrderFlags, io: Io): Promise<number> {
  const signed = onlyFor(host, orderIn(file), file)
  const home = fleetHome(fleet)
  // An external approver has no fleet directory.
  const known = existsSync(home.publicPolicyKey)
    ? defined({ approvers: readApprovers(home.approvers), operator: readPublicKey(home.publicPolicyKey) })
    : {}
  await io.print(
    format === 'html'
      ? orderPage(signed.order, signersOf(signed, known))
      : showOrder(signed, known, await io.paintOutput()),
  )
  return EXIT.ok
}

/** Restricts an order to these hosts; without names, all hosts. */
function onlyFor(hosts: readonly string[], { order, envelope }: SignedOrder, file: string): SignedOrder {
  if (hosts.length === 0) return { order, envelope }
  const fixes = order.fixes.flatMap((fix) => {
    const named = fix.hosts.filter((name) => hosts.includes(name))
    return named.length === 0 ? [] : [{ ...fix, hosts: named }]
  })
  const [first, ...others] = fixes
  if (first === undefined) throw new OperatorError(`${file} does not include ${hosts.join(', ')}`)
  return { order: { ...order, fixes: [first, ...others] }, envelope }
}

async function approve(file: string, { key }: OrderFlags, io: Io): Promise<number> {
  if (key === undefined) throw usageError('missing --key FILE', COMMAND)
  const signed = orderIn(file)
  if (Date.now() >= Date.parse(signed.order.expires))
    throw new OperatorError(`${file} expired at ${signed.order.expires}: draft a new order`)
  const own = readPrivateKey(key)
  if (signed.envelope.signatures.some(({ keyid }) => keyid === own.id))
    throw new OperatorError(`${file} is already signed with this key: ${own.id}`)
  const envelope = signedToo(signed.envelope, own)
  attempt(`cannot write ${file}`, () => replaceFile(file, `${JSON.stringify(envelope, null, 2)}\n`))
  await io.print(showOrder({ ...signed, envelope }, {}, await io.paintOutput()))
  io.say(`driftgate: approved by ${own.id}\n`)
  return EXIT.ok
}

async function send(file: string, options: OrderFlags, io: Io): Promise<number> {
  const { fleet = FLEET, author = whoAmI(), waves: text, tolerate = '0', wait } = options
  const { order, envelope } = orderIn(file)
  const isAwaited = wait || text !== undefined
  const interruption = watchInterruption(io, (name) =>
    io.say(`driftgate: ${name}: no further host receives it; send it again to continue\n`),
  )
  try {
    const standings = await dispatchOrder(fleet, envelope, {
      author,
      waves: parseWaves(text ?? 'rest') ?? [],
      tolerated: Number(tolerate),
      isAwaited,
      tell: (one) => io.say(`driftgate: ${showOrderedHosts([one])}`),
      signal: interruption.signal,
    })
    if (!isAwaited) {
      io.say(
        `driftgate: sent to ${countOf(standings.length, 'host')}; "driftgate fleet orders ${order.id}" shows the results\n`,
      )
      return EXIT.ok
    }
    return standings.every(isSettled) && selectFailed(standings).length === 0 ? EXIT.ok : EXIT.fixFailed
  } finally {
    interruption.release()
  }
}

function orderIn(file: string): SignedOrder {
  const read = readOrder(valueOfJson(bytesOf(file, LARGEST_ORDER_BYTES * 2)))
  if ('order' in read) return read
  throw new OperatorError(`${file} is not an order of "driftgate fleet order draft": ${read.message}`)
}

function bytesOf(file: string, atMost: number): Buffer {
  return attempt(`cannot read ${file}`, () => readWhole(file, atMost))
}

/** Shows the outcomes of orders. */
export async function runOrders({ operands: [id], options }: Invocation<RecordFlags>, io: Io): Promise<number> {
  const home = fleetHome(options.fleet ?? FLEET)
  const keyOf = hostKeys(home.roster)
  const operator = readPublicKey(home.publicPolicyKey)
  const { orders, troubles } = await asOperator(options.fleet ?? FLEET, ({ line }) =>
    storedOrders(line, operator, keyOf),
  )
  const shown = id === undefined ? orders : orders.filter((each) => each.order.id === id)
  if (id !== undefined && shown.length === 0)
    throw new OperatorError(`the server has no order ${id}; orders are deleted after a week`)
  const nowMs = Date.now()
  if (options.format === 'json') {
    const all = shown.map((each) => orderForPrograms(each, nowMs))
    await io.print(`${toSafeJson({ schema: 'driftgate.orders/v1', orders: all, troubles }, 2)}\n`)
  } else {
    const paint = await io.paintOutput()
    const [one] = id === undefined ? [] : shown
    const text =
      one === undefined ? showOrders(shown, nowMs, paint) : showOrderedHosts(standingsOf(one.order, one, nowMs))
    await io.print(text)
  }
  for (const trouble of troubles) io.say(`driftgate: ${escapeForTerminal(trouble)}\n`)
  return troubles.length > 0 ? EXIT.undecided : EXIT.ok
}

function orderForPrograms(stored: StoredOrder, nowMs: number): object {
  const hosts = standingsOf(stored.order, stored, nowMs).map(({ host, standing, answer }) => ({
    host,
    standing,
    ...(answer !== undefined && defined({ text: answer.text, at: answer.at, run: answer.run })),
  }))
  return { order: stored.order, hosts }
}

/** Sets the approvers of orders. */
export async function runApprovers({ operands, options }: Invocation<ApproversFlags>, io: Io): Promise<number> {
  const { fleet = FLEET, needed } = options
  if (needed === undefined) throw usageError('missing --needed N: the number of required approvals', 'fleet approvers')
  const home = fleetHome(fleet)
  const approvers = operands.map((file) => {
    readPublicKey(file)
    return { name: basename(file).replace(/(?:\.pem|\.key)?(?:\.pub)?$/, ''), key: readFileSync(file, 'utf8') }
  })
  const text = approversText(Number(needed), approvers)
  const { approvers: known } = approversIn(home.approvers, Buffer.from(text))
  const names = known.map(({ name, key }) => `${name} ${key.id}`)
  noteForLater(fleet, { act: 'approvers', author: whoAmI(), about: 'orders', text: `${needed} of ${names.join(', ')}` })
  attempt(`cannot write ${home.approvers}`, () => replaceFile(home.approvers, text, { mode: 0o644 }))
  io.say(`driftgate: hosts that join from now on accept orders approved by ${needed} of ${countOf(known.length, 'approver')}
driftgate: for enrolled hosts: copy ${home.approvers} to /etc/driftgate/agent on each\n`)
  return EXIT.ok
}
