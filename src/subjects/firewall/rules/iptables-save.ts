import { trimBlanksOfC, withBlanksOfC } from '../../../settings/blanks.ts'
import { conditionsOf, isOfOptions } from './iptables-matches.ts'
import { addressNumber } from './addresses.ts'
import { SILENT_TARGETS } from './nft-json.ts'
import type { Intervals } from './intervals.ts'
import type { AddressFamily, Packets } from './packets.ts'
import {
  type Base,
  type Chain,
  type FirewallRule,
  type Hook,
  uncertainCondition,
  type Step,
  type Verdict,
} from './ruleset.ts'

/** Where the chains of a table are called. @see iptables(8) */
const HOOKS: Readonly<Record<string, Hook>> = {
  PREROUTING: 'prerouting',
  INPUT: 'input',
  FORWARD: 'forward',
  OUTPUT: 'output',
  POSTROUTING: 'postrouting',
}
/** @see netfilter_ipv4.h */
const PRIORITIES: Readonly<Record<string, number>> = { raw: -300, mangle: -150, nat: -100, filter: 0, security: 50 }

interface OpenChain {
  readonly table: string
  readonly name: string
  readonly base?: Base
  readonly rules: FirewallRule[]
}

/**
 * The chains that `iptables-save` prints or `iptables-restore` reads, without `-n` or with it. `where` is put before the name
 * of a table. Undefined where the text is something else.
 */
export function parseIptablesSave(text: string, family: AddressFamily, where = ''): readonly Chain[] | undefined {
  const chains = new Map<string, OpenChain>()
  let table: string | undefined
  for (const written of text.split('\n')) {
    const line = trimBlanksOfC(written)
    if (line === '' || line.startsWith('#')) continue
    if (line === 'COMMIT') table = undefined
    else if (line.startsWith('*')) table = line.slice(1)
    else if (table === undefined) return undefined
    else if (!readLine(line, { chains, table, family })) return undefined
  }
  return [...chains.values()].map(({ table: name, ...chain }) => ({ family, ...chain, table: `${where}${name}` }))
}

interface Reading {
  readonly chains: Map<string, OpenChain>
  readonly table: string
  readonly family: AddressFamily
}

function readLine(line: string, { chains, table, family }: Reading): boolean {
  const [, declared, policy] = withBlanksOfC(/^:(\S+) (\S+)/).exec(line) ?? []
  if (declared !== undefined && policy !== undefined) {
    const base = baseOf(table, declared, policy)
    // A declaration of a chain that is there empties it, or of a built-in one sets its policy.
    const rules = base === undefined ? [] : (chains.get(`${table} ${declared}`)?.rules ?? [])
    chains.set(`${table} ${declared}`, { table, name: declared, ...(base === undefined ? {} : { base }), rules })
    return true
  }
  const words = wordsOf(line.replace(/^\[\d+:\d+\] /, ''))
  const [command, name = '', ...options] = words
  if (command !== '-A' && command !== '-I') return command === '-F' || command === '-X' || command === '-Z'
  const chain = chains.get(`${table} ${name}`)
  if (chain === undefined) return false
  const rule = { text: words.join(' '), steps: stepsOf(options, family) }
  if (command === '-A') chain.rules.push(rule)
  else chain.rules.unshift(rule)
  return true
}

function baseOf(table: string, name: string, policy: string): Base | undefined {
  const hook = HOOKS[name]
  if (hook === undefined || policy === '-') return undefined
  const type = table === 'nat' ? 'nat' : 'filter'
  const isSource = table === 'nat' && (name === 'POSTROUTING' || name === 'INPUT')
  return {
    hook,
    type,
    priority: isSource ? 100 : (PRIORITIES[table] ?? 0),
    policy: policy === 'DROP' ? 'drop' : 'accept',
  }
}

/** The words of a line; those in quotation marks may hold spaces. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(withBlanksOfC(/"((?:[^"\\]|\\.)*)"|(\S+)/g))].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'),
  )
}

/** Options that take no value, or two. */
const ARITY: Readonly<Record<string, number>> = { '--syn': 0, '-f': 0, '--tcp-flags': 2 }
/** Short and long names of what is printed short. */
const LONG: Readonly<Record<string, string>> = {
  '--source': '-s',
  '--src': '-s',
  '--destination': '-d',
  '--dst': '-d',
  '--in-interface': '-i',
  '--out-interface': '-o',
  '--protocol': '-p',
  '--match': '-m',
  '--jump': '-j',
  '--goto': '-g',
  '--fragment': '-f',
  '--destination-port': '--dport',
  '--source-port': '--sport',
  '--destination-ports': '--dports',
  '--source-ports': '--sports',
}

/** Conditions may stand behind the target, too, as ufw writes them. */
function stepsOf(words: readonly string[], family: AddressFamily): readonly Step[] {
  const at = words.findIndex((word) => JUMPS.has(LONG[word] ?? word))
  if (at === -1) return conditionSteps(words, family)
  const [option = '', target = '', ...rest] = words.slice(at)
  const end = rest.findIndex((word) => word === '!' || /^-[a-z]$/.test(LONG[word] ?? word))
  const [own, others] = end === -1 ? [rest, []] : [rest.slice(0, end), rest.slice(end)]
  const conditions = conditionSteps([...words.slice(0, at), ...others], family)
  return [...conditions, ...targetSteps(LONG[option] ?? option, target, own)]
}

const JUMPS: ReadonlySet<string> = new Set(['-j', '-g'])

function conditionSteps(words: readonly string[], family: AddressFamily): readonly Step[] {
  const steps: Step[] = []
  let [at, match, negated] = [0, '', false]
  while (at < words.length) {
    const written = words[at] ?? ''
    at += 1
    if (written === '!') {
      negated = true
      continue
    }
    const name = LONG[written] ?? written
    const start = at
    const arity = ARITY[name] ?? Number.POSITIVE_INFINITY
    while (at < words.length && at - start < arity && !/^(?:-[a-z]$|--[a-z]|!$)/.test(words[at] ?? '')) at += 1
    const values = words.slice(start, at)
    if (name === '-m') {
      match = values[0] ?? ''
      if (!isOfOptions(match)) steps.push(uncertainCondition('unclear'))
    } else steps.push(...conditionsOf({ name, values, negated, match }, family))
    negated = false
  }
  return steps
}

function targetSteps(option: string, target: string, rest: readonly string[]): readonly Step[] {
  if (option === '-g') return [{ kind: 'goto', chain: target }]
  if (SILENT_TARGETS.has(target)) return []
  return [verdictOf(target, rest)]
}

function verdictOf(target: string, rest: readonly string[]): Verdict {
  switch (target) {
    case 'ACCEPT':
    case 'SNAT':
    case 'MASQUERADE':
      return { kind: 'accept' }
    case 'DROP':
    case 'REJECT':
      return { kind: 'drop' }
    case 'RETURN':
      return { kind: 'return' }
    case 'NOTRACK':
      return { kind: 'notrack' }
    case 'CT':
      return rest.includes('--notrack') ? { kind: 'notrack' } : { kind: 'continue' }
    case 'DNAT':
    case 'REDIRECT':
      return translation(target, rest) ?? { kind: 'opaque' }
    default:
      return OTHER_TARGETS.has(target) ? { kind: 'opaque' } : { kind: 'jump', chain: target }
  }
}

const OTHER_TARGETS: ReadonlySet<string> = new Set([
  'CLUSTERIP',
  'ECN',
  'IDLETIMER',
  'NETMAP',
  'NFQUEUE',
  'QUEUE',
  'RATEEST',
  'SYNPROXY',
  'TEE',
  'TPROXY',
])

function translation(target: string, rest: readonly string[]): Verdict | undefined {
  if (target === 'REDIRECT') {
    const port = portsOf(rest[rest.indexOf('--to-ports') + 1])
    return rest.includes('--to-ports') ? port && { kind: 'dnat', port } : { kind: 'dnat' }
  }
  const to = rest[rest.indexOf('--to-destination') + 1] ?? ''
  const [, six, four, ports] = /^(?:\[([^\]]+)\]|([^:]*?))(?::(\d+(?:-\d+)?))?$/.exec(to) ?? []
  const [first, last] = (six ?? four ?? (to.includes(':') ? to : '')).split('-').map(addressNumber)
  const address = first ?? undefined
  if (address === undefined) return undefined
  const values: Intervals = [[address.value, last?.value ?? address.value]]
  const port = ports === undefined ? undefined : portsOf(ports)
  return {
    kind: 'dnat',
    address: { [address.family === 'ip' ? 'daddr' : 'daddr6']: values },
    ...(port === undefined ? {} : { port }),
  }
}

function portsOf(text: string | undefined): Packets | undefined {
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(text ?? '') ?? []
  return first === undefined ? undefined : { dport: [[BigInt(first), BigInt(last ?? first)]] }
}
