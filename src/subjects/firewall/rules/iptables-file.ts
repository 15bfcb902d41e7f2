import { withBlanksOfC } from '../../../settings/blanks.ts'
import { type AddedRules, iptablesWords } from './added.ts'
import type { AddressFamily } from './packets.ts'

/** What `iptables-restore -n` reads to add rules to those that are in force. */
export function iptablesAddition(added: AddedRules, family: AddressFamily): string {
  const { chain, first, last, policy } = linesFor(added, family)
  const inserted = first.toReversed().map((words) => `-I ${chain} ${words}`)
  const lines = [...policy, ...inserted, ...last.map((words) => `-A ${chain} ${words}`)]
  return ['*filter', ...lines, 'COMMIT', ''].join('\n')
}

/** A file of iptables-save with rules before and behind those of the chain of the hook. */
export function withIptablesLines(text: string, added: AddedRules, family: AddressFamily): string {
  const { chain, first, last, policy } = linesFor(added, family)
  const whole = /^\*filter$/m.test(text) ? text : `${EMPTY}${text}`
  const lines = whole.split('\n')
  const start = lines.indexOf('*filter')
  const end = lines.indexOf('COMMIT', start)
  const isDeclaration = (line: string): boolean => line.startsWith(`:${chain} `)
  const body = lines
    .slice(start + 1, end)
    .flatMap((line) => (isDeclaration(line) ? (policy.length > 0 ? policy : [line]) : [line]))
  const table = body.some(isDeclaration) ? body : [`:${chain} ${added.closes ? 'DROP' : 'ACCEPT'} [0:0]`, ...body]
  const firstRule = table.findIndex((line) => !withBlanksOfC(/^:|^#|^\s*$/).test(line))
  const at = firstRule === -1 ? table.length : firstRule
  return [
    ...lines.slice(0, start + 1),
    ...table.slice(0, at),
    ...first.map((words) => `-A ${chain} ${words}`),
    ...table.slice(at),
    ...last.map((words) => `-A ${chain} ${words}`),
    ...lines.slice(end),
  ].join('\n')
}

const EMPTY = '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n'

interface Lines {
  readonly chain: string
  readonly first: readonly string[]
  readonly last: readonly string[]
  readonly policy: readonly string[]
}

function linesFor({ hook, first, last, closes }: AddedRules, family: AddressFamily): Lines {
  const chain = hook.toUpperCase()
  const words = (rules: AddedRules['first']): readonly string[] =>
    rules.flatMap((rule) => iptablesWords(rule, hook, family))
  return { chain, first: words(first), last: words(last), policy: closes ? [`:${chain} DROP [0:0]`] : [] }
}
