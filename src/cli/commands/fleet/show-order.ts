import { countOf } from '../../../core/count-of.ts'
import { escapeForTerminal } from '../../../core/escape.ts'
import { formatDrift } from '../../../core/format-value.ts'
import { type Approvers, lacksApproval } from '../../../fleet/orders/approvers.ts'
import { type Finding, resourceOf } from '../../../fleet/orders/finding.ts'
import type { Fix, SignedOrder } from '../../../fleet/orders/order.ts'
import { type OrderedHost, type Standing, standingsOf } from '../../../fleet/orders/standing.ts'
import type { StoredOrder } from '../../../fleet/orders/stored-orders.ts'
import { joinSections } from '../../../report/words/rows.ts'
import { isSignedBy } from '../../../signing/envelope.ts'
import type { Key } from '../../../signing/keys.ts'
import type { Tone } from '../../../report/format.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'
import { timeOf } from './show-assigning.ts'

/** Whose signatures can be told; nobody's where it is empty. */
export interface Signers {
  readonly operator?: Key
  readonly approvers?: Approvers
}

/** Everything that somebody approves. */
export function showOrder({ order, envelope }: SignedOrder, { operator, approvers }: Signers, paint: Paint): string {
  const { id, policy, fixes, notBefore, expires, reason, author } = order
  const lines = [
    `${paint('strong', 'order')} ${id}`,
    escapeForTerminal(`${reason}, by ${author}`),
    `policy ${policy.name} ${policy.sha256}`,
    `hosts may begin from ${timeOf(Date.parse(notBefore))} to ${timeOf(Date.parse(expires))}`,
  ]
  return joinSections([lines, ...fixes.map((fix) => fixLines(fix, paint)), signerLines()])

  function signerLines(): readonly string[] {
    const signed = envelope.signatures.map(({ keyid }) => `signed by ${nameOf(keyid)}`)
    if (operator === undefined || approvers === undefined) return signed
    const lack = lacksApproval(envelope, approvers, operator)
    return [...signed, lack === undefined ? paint('good', 'approved') : paint('warn', escapeForTerminal(lack))]
  }

  function nameOf(keyid: string): string {
    const known = [
      ...(operator === undefined ? [] : [{ name: 'the operator', key: operator }]),
      ...(approvers?.approvers ?? []),
    ].find(({ key }) => key.id === keyid)
    if (known === undefined) return escapeForTerminal(keyid)
    return escapeForTerminal(
      isSignedBy(envelope, known.key) ? known.name : `nobody: it says ${known.name}, and is forged`,
    )
  }
}

function fixLines({ hosts, findings, follows }: Fix, paint: Paint): readonly string[] {
  return [
    `on ${countOf(hosts.length, 'host')}: ${hosts.join(', ')}`,
    ...findings.flatMap((each) => findingLines(each, paint)),
    ...follows.flatMap((each) => [
      `  ${paint('strong', escapeForTerminal(resourceOf(each)))} may follow`,
      ...each.actions.map((action) => `    ${escapeForTerminal(action)}`),
    ]),
  ]
}

function findingLines(finding: Finding, paint: Paint): readonly string[] {
  const { drift, risk, irreversible } = finding
  return [
    `  ${paint('strong', escapeForTerminal(resourceOf(finding)))}`,
    ...drift.flatMap((each) => [`    ${escapeForTerminal(formatDrift(each))}`, ...diffLines(each.diff)]),
    ...(risk === undefined ? [] : [`    ${paint('warn', escapeForTerminal(`risky: ${risk}`))}`]),
    ...(irreversible === undefined
      ? []
      : [`    ${paint('warn', escapeForTerminal(`cannot be undone: ${irreversible}`))}`]),
  ]
}

function diffLines(diff = ''): readonly string[] {
  return diff.split('\n').flatMap((line) => (line === '' ? [] : [`      ${escapeForTerminal(line)}`]))
}

const TONES: Readonly<Record<Standing, Tone>> = {
  unsent: 'dim',
  pending: 'warn',
  done: 'good',
  refused: 'bad',
  failed: 'bad',
  expired: 'bad',
}

/** A line for each host. */
export function showOrderedHosts(hosts: readonly OrderedHost[]): string {
  return hosts
    .map(({ host, standing, answer }) => {
      const said = answer === undefined ? '' : `, ${timeOf(Date.parse(answer.at))}: ${answer.text}`
      return `${escapeForTerminal(`${host} ${standing}${said}`)}\n`
    })
    .join('')
}

/** A line for each order, the newest last. */
export function showOrders(orders: readonly StoredOrder[], nowMs: number, paint: Paint): string {
  if (orders.length === 0) return 'there was no order for a week; "driftgate fleet order draft" begins one\n'
  const rows = orders.map((stored): readonly Cell[] => {
    const { id, policy, reason, author, expires } = stored.order
    const standings = standingsOf(stored.order, stored, nowMs).map(({ standing }) => standing)
    const words = Object.keys(TONES) as readonly Standing[]
    const counts = words.flatMap((word) => {
      const count = standings.filter((each) => each === word).length
      return count === 0 ? [] : [`${count} ${word}`]
    })
    const worst = words.toReversed().find((word) => standings.includes(word))
    return [
      { text: id, tone: 'strong' },
      { text: timeOf(Date.parse(expires)) },
      { text: counts.join(', '), tone: worst === undefined ? undefined : TONES[worst] },
      { text: escapeForTerminal(author) },
      { text: escapeForTerminal(`${policy.name}: ${reason}`) },
    ]
  })
  const header = ['order', 'expires', 'hosts', 'by', 'what and why'].map((text): Cell => ({ text, tone: 'dim' }))
  return tableRows([header, ...rows], { firstNumber: Infinity, paint })
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
