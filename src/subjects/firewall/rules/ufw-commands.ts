import type { AddedRule, AddedRules } from './added.ts'
import type { FilterHook } from './question.ts'

/** What is said to ufw, one after another; the policy comes last, when the rules beside it are there. */
export function ufwCommands({ hook, families, first, last, closes }: AddedRules): readonly (readonly string[])[] {
  const said = (rules: readonly AddedRule[]): readonly (readonly string[])[] =>
    rules.flatMap((rule) => wordsOf(rule, hook, families))
  return [
    ...said(first)
      .toReversed()
      .map((words) => ['prepend', ...words]),
    ...said(last),
    ...(closes ? [['default', 'deny', DIRECTIONS[hook]]] : []),
  ]
}

const DIRECTIONS: Readonly<Record<FilterHook, string>> = { input: 'incoming', forward: 'routed', output: 'outgoing' }

function wordsOf(rule: AddedRule, hook: FilterHook, families: AddedRules['families']): readonly (readonly string[])[] {
  switch (rule.kind) {
    case 'loopback':
      return [['allow', hook === 'output' ? 'out' : 'in', 'on', 'lo']]
    case 'spoofed':
      return families.map((family) => ['deny', 'in', 'from', family === 'ip' ? '127.0.0.0/8' : '::1'])
    // They stand in before.rules, see `isOfUfw`.
    case 'established':
    case 'messages':
      return []
    case 'interface':
      return [[...(hook === 'forward' ? ['route'] : []), 'allow', 'in', 'on', rule.name]]
    case 'port': {
      const { protocol, first, last, verdict } = rule
      const ports = first === last ? `${first}` : `${first}:${last}`
      return [[verdict === 'accept' ? 'allow' : 'deny', `${ports}/${protocol}`]]
    }
  }
}
