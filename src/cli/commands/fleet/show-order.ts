import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { type Approvers, lacksApproval } from '../../../fleet/orders/approvers.ts'
import { changesOf } from '../../../fleet/orders/changes.ts'
import { type Finding, resourceOf } from '../../../fleet/orders/finding.ts'
import type { Fix, SignedOrder } from '../../../fleet/orders/order.ts'
import { type OrderedHost, type Standing, standingsOf } from '../../../fleet/orders/standing.ts'
import type { StoredOrder } from '../../../fleet/orders/stored-orders.ts'
import { joinSections } from '../../../report/words/rows.ts'
import { isSignedBy } from '../../../host/signing/envelope.ts'
import type { Key } from '../../../host/signing/keys.ts'
import type { Tone } from '../../../report/format.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'
import { timeOf } from './show-assigning.ts'

/** Keys whose signatures are named; empty without keys. */
export interface Signers {
  readonly operator?: Key
  readonly approvers?: Approvers
}

/** Formats everything that an approval covers. */
export function showOrder(signed: SignedOrder, signers: Signers, paint: Paint): string {
  const { order, envelope } = signed
  const { id, policy, fixes, notBefore, expires, reason, author } = order
  const lines = [
    `${paint('strong', 'order')} ${id}`,
    escapeForTerminal(`${reason}, by ${author}`),
    `policy ${policy.name} ${policy.sha256}`,
    `start window: ${timeOf(Date.parse(notBefore))} to ${timeOf(Date.parse(expires))}`,
  ]
  return joinSections([lines, ...fixes.map((fix) => fixLines(fix, paint)), signerLines()])

  function signerLines(): readonly string[] {
    const { operator, approvers } = signers
    const names = signersOf(signed, signers).map((name) => `signed by ${escapeForTerminal(name)}`)
    if (operator === undefined || approvers === undefined) return names
    const lack = lacksApproval(envelope, approvers, operator)
    return [...names, lack === undefined ? paint('good', 'approved') : paint('warn', escapeForTerminal(lack))]
  }
}

/** Names of the signers of an order, as far as known. */
export function signersOf({ envelope }: SignedOrder, { operator, approvers }: Signers): readonly string[] {
  const known = [
    ...(operator === undefined ? [] : [{ name: 'the operator', key: operator }]),
    ...(approvers?.approvers ?? []),
  ]
  return envelope.signatures.map(({ keyid }) => {
    const signer = known.find(({ key }) => key.id === keyid)
    if (signer === undefined) return keyid
    return isSignedBy(envelope, signer.key) ? signer.name : `forged signature of ${signer.name}`
  })
}

function fixLines({ hosts, findings, follows }: Fix, paint: Paint): readonly string[] {
  const changes = findings.flatMap(changesOf)
  const header = ['resource', 'property', 'from', 'to'].map((text): Cell => ({ text, tone: 'dim' }))
  const rows = changes.map(({ resource, property, from, to }): readonly Cell[] => [
    { text: escapeForTerminal(resource), tone: 'strong' },
    { text: escapeForTerminal(property) },
    { text: firstLine(from), tone: 'bad' },
    { text: firstLine(to), tone: 'good' },
  ])
  return [
    `on ${countOf(hosts.length, 'host')}: ${hosts.join(', ')}`,
    ...tableRows([header, ...rows], { firstNumber: Infinity, paint }).map((line) => `  ${line.trimEnd()}`),
    ...changes.flatMap(({ resource, diff }) =>
      diff === undefined ? [] : [`  ${paint('strong', escapeForTerminal(resource))}`, ...diffLines(diff)],
    ),
    ...findings.flatMap((each) => warningLines(each, paint)),
    ...follows.flatMap((each) => [
      `  ${paint('strong', escapeForTerminal(resourceOf(each)))} may follow`,
      ...each.actions.map((action) => `    ${escapeForTerminal(action)}`),
    ]),
  ]
}

/** A row has one line; the full difference follows below the table. */
function firstLine(text: string): string {
  const [first = '', ...others] = text.split('\n')
  return `${escapeForTerminal(first)}${others.length === 0 ? '' : ` (+${countOf(others.length, 'line')})`}`
}

function warningLines(finding: Finding, paint: Paint): readonly string[] {
  const resource = resourceOf(finding)
  const { risk, irreversible } = finding
  return [
    ...(risk === undefined ? [] : [`${resource} is risky: ${risk}`]),
    ...(irreversible === undefined ? [] : [`${resource} cannot be undone: ${irreversible}`]),
  ].map((text) => `  ${paint('warn', escapeForTerminal(text))}`)
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

/** One line per host. */
export function showOrderedHosts(hosts: readonly OrderedHost[]): string {
  return hosts
    .map(({ host, standing, answer }) => {
      const said = answer === undefined ? '' : `, ${timeOf(Date.parse(answer.at))}: ${answer.text}`
      return `${escapeForTerminal(`${host} ${standing}${said}`)}\n`
    })
    .join('')
}

/** One line per order, newest last. */
export function showOrders(orders: readonly StoredOrder[], nowMs: number, paint: Paint): string {
  if (orders.length === 0) return 'no orders in the last week; "driftgate fleet order draft" drafts one\n'
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
  const header = ['order', 'expires', 'hosts', 'by', 'content and reason'].map((text): Cell => ({ text, tone: 'dim' }))
  return tableRows([header, ...rows], { firstNumber: Infinity, paint })
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
