import { wordsOf } from '../../../settings/blanks.ts'
import { known, type Reading } from '../../../model/observation.ts'
import { expandGlob } from '../../../settings/glob.ts'
import type { RuleTexts } from './nft-json.ts'
import { ruleExpressions } from './nft-statements.ts'
import type { Json } from './nft-values.ts'
import { NAME, NotUnderstood, type NftWord, nftWords, unclear, Words } from './nft-words.ts'

export interface NftFiles {
  readonly readText: (path: string) => Reading<string | null>
  readonly list: (path: string) => Reading<readonly string[] | null>
}

/** A ruleset as `nft -j list ruleset` prints it after a file was loaded, with the texts of its rules. */
export interface NftListed {
  readonly nft: string
  readonly texts: RuleTexts
}

interface Chain {
  base?: { readonly [key: string]: Json }
  rules: { readonly text: string; readonly expr: readonly Json[] }[]
}

interface Loading {
  readonly files: NftFiles
  readonly portOf: (name: string) => number | undefined
  readonly variables: Map<string, readonly NftWord[]>
  /** Chains by `family table`. */
  readonly tables: Map<string, Map<string, Chain>>
}

const DEEPEST = 16

/**
 * The rules that nft 1.0.6 loads from a file, of which every word must be understood: nft loads nothing of a file that it
 * refuses in one place. Sets with a name, translations and interfaces by number are not read.
 */
export function readNftFile(path: string, files: NftFiles): Reading<NftListed> {
  const services = files.readText('/etc/services')
  if (services.kind === 'unknown') return services
  const words = readWords(path, files, 0)
  if (words.kind === 'unknown') return words
  const text = services.value ?? ''
  const loading: Loading = {
    files,
    portOf: (name) => portNamed(text, name),
    variables: new Map(),
    tables: new Map(),
  }
  const all = new Words(words.value)
  try {
    while (!all.isAtEnd) if (!all.takeIf('\n')) command(all, loading)
    checkJumps(loading)
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error
    return unclear(all.last ?? { text: '', file: path, line: 1 })
  }
  return known(listed(loading))
}

function portNamed(services: string, name: string): number | undefined {
  const found = services
    .split('\n')
    .map((line) => wordsOf(line.replace(/#.*/, '')))
    .find(([main, , ...aliases]) => main === name || aliases.includes(name))
  return found === undefined ? undefined : Number(found[1]?.split('/')[0])
}

/** The words of a file with those of the files that it includes in their places. */
function readWords(path: string, files: NftFiles, depth: number): Reading<readonly NftWord[]> {
  const text = files.readText(path)
  if (text.kind === 'unknown') return text
  const start = { text: 'include', file: path, line: 1 }
  if (text.value === null || depth > DEEPEST) return unclear(start)
  const words = nftWords(text.value, path)
  if (words.kind === 'unknown') return words
  const found: NftWord[] = []
  for (const [index, word] of words.value.entries()) {
    const before = words.value[index - 1]
    if (before?.text === 'include' && before.isQuoted !== true) continue
    if (word.text !== 'include' || word.isQuoted === true) {
      found.push(word)
      continue
    }
    const named = words.value[index + 1]
    if (named?.isQuoted !== true || !named.text.startsWith('/')) return unclear(word)
    const paths = expandGlob({ names: (directory) => files.list(directory) }, named.text)
    if (paths.kind === 'unknown') return paths
    for (const each of paths.value) {
      const inner = readWords(each, files, depth + 1)
      if (inner.kind === 'unknown') return inner
      found.push(...inner.value)
    }
  }
  return known(found)
}

function command(words: Words, loading: Loading): void {
  const { tables, variables } = loading
  if (words.takeIf('define')) {
    const name = words.expect(/^\w+$/)
    words.expect(/^=$/)
    if (variables.has(name)) throw new NotUnderstood()
    variables.set(name, statement(words, loading))
  } else if (words.takeIf('flush', 'ruleset')) {
    tables.clear()
    words.expect(/^\n$/)
  } else if (words.takeIf('delete', 'table') || words.takeIf('flush', 'table')) {
    throw new NotUnderstood()
  } else if (words.takeIf('add', 'chain')) {
    chainAt(words, loading, familyAt(words), words.expect(NAME))
  } else if (words.takeIf('add', 'rule')) {
    addedRule(words, loading, 'push')
  } else if (words.takeIf('insert', 'rule')) {
    addedRule(words, loading, 'unshift')
  } else {
    words.takeIf('add')
    tableAt(words, loading)
  }
}

/** A name may stand in quotes nowhere, and `ip` is the family where none is named. */
function familyAt(words: Words): string {
  const family = ['inet', 'ip', 'ip6'].find((each) => words.takeIf(each))
  return family ?? 'ip'
}

function tableAt(words: Words, loading: Loading): void {
  words.expect(/^table$/)
  const family = familyAt(words)
  const name = words.expect(NAME)
  const key = `${family} ${name}`
  loading.tables.set(key, loading.tables.get(key) ?? new Map())
  if (words.takeIf('\n')) return
  words.expect(/^\{$/)
  while (!words.takeIf('}')) {
    if (words.takeIf('\n')) continue
    words.expect(/^chain$/)
    chainAt(words, loading, family, name)
  }
  words.expect(/^\n$/)
}

/** A chain with its rules in braces; `add chain` takes no rules. */
function chainAt(words: Words, loading: Loading, family: string, table: string): void {
  const chains = loading.tables.get(`${family} ${table}`)
  if (chains === undefined) throw new NotUnderstood()
  const name = words.expect(NAME)
  const chain: Chain = chains.get(name) ?? { rules: [] }
  chains.set(name, chain)
  if (words.takeIf('\n')) return
  words.expect(/^\{$/)
  while (!words.takeIf('}')) {
    if (words.takeIf('\n')) continue
    if (words.peek() === 'type') baseAt(words, chain)
    else if (words.takeIf('policy')) policyAt(words, chain)
    else chain.rules.push(ruleAt(words, loading, family))
  }
  words.expect(/^\n$/)
}

/** @see nft(8), priority names of the families ip, ip6 and inet */
const PRIORITIES: Readonly<Record<string, number>> = { raw: -300, mangle: -150, filter: 0, security: 50 }

function baseAt(words: Words, chain: Chain): void {
  words.expect(/^type$/)
  words.expect(/^filter$/)
  words.expect(/^hook$/)
  const hook = words.expect(/^(?:prerouting|input|forward|output|postrouting)$/)
  words.expect(/^priority$/)
  const written = words.expect(/^(?:-?\d{1,4}|raw|mangle|filter|security)$/)
  const named = PRIORITIES[written]
  const sign = named === undefined ? 0 : words.takeIf('+') ? 1 : words.takeIf('-') ? -1 : 0
  const prio = (named ?? Number(written)) + (sign === 0 ? 0 : sign * Number(words.expect(/^\d{1,4}$/)))
  words.expect(/^\n$/)
  const { base } = chain
  if (base !== undefined && (base['hook'] !== hook || base['prio'] !== prio)) throw new NotUnderstood()
  chain.base = { type: 'filter', hook, prio, policy: base?.['policy'] ?? 'accept' }
}

function policyAt(words: Words, chain: Chain): void {
  const policy = words.expect(/^(?:accept|drop)$/)
  words.expect(/^\n$/)
  if (chain.base === undefined) throw new NotUnderstood()
  chain.base = { ...chain.base, policy }
}

function addedRule(words: Words, loading: Loading, way: 'push' | 'unshift'): void {
  const family = familyAt(words)
  const chain = loading.tables.get(`${family} ${words.expect(NAME)}`)?.get(words.expect(NAME))
  if (chain === undefined) throw new NotUnderstood()
  chain.rules[way](ruleAt(words, loading, family))
}

function ruleAt(words: Words, loading: Loading, family: string): Chain['rules'][number] {
  const own = statement(words, loading)
  const { portOf } = loading
  const text = own.map((word) => (word.isQuoted === true ? `"${word.text}"` : word.text)).join(' ')
  return { text: text.replaceAll(/ ?\n/g, ''), expr: ruleExpressions(new Words(own), { family, portOf }) }
}

/** The words up to the end of a line outside of braces, with the values of variables. */
function statement(words: Words, { variables }: Loading): readonly NftWord[] {
  const found: NftWord[] = []
  let depth = 0
  while (depth > 0 || words.peek() !== '\n') {
    const word = words.next()
    const bare = word.isQuoted === true ? '' : word.text
    depth += bare === '{' ? 1 : bare === '}' ? -1 : 0
    if (depth < 0) throw new NotUnderstood()
    const value = bare.startsWith('$') ? variables.get(bare.slice(1)) : [word]
    if (value === undefined) throw new NotUnderstood()
    found.push(...value)
  }
  words.next()
  return found
}

/** Every chain that a rule names exists, and none leads back to itself: the kernel refuses both. */
function checkJumps({ tables }: Loading): void {
  for (const chains of tables.values()) {
    const visit = (name: string, above: readonly string[]): void => {
      const chain = chains.get(name)
      if (chain === undefined || above.includes(name) || above.length > 15) throw new NotUnderstood()
      const named = JSON.stringify(chain.rules.map(({ expr }) => expr)).matchAll(/"target":"([^"]*)"/g)
      for (const target of new Set([...named].map(([, each = '']) => each))) {
        if (chains.get(target)?.base !== undefined) throw new NotUnderstood()
        visit(target, [...above, name])
      }
    }
    for (const name of chains.keys()) visit(name, [])
  }
}

function listed({ tables }: Loading): NftListed {
  const entries: Json[] = []
  const texts = new Map<string, string>()
  let handle = 0
  for (const [key, chains] of tables) {
    const [family = '', table = ''] = key.split(' ')
    entries.push({ table: { family, name: table } })
    for (const [name, { base = {} }] of chains) entries.push({ chain: { family, table, name, ...base } })
    for (const [chain, { rules }] of chains) {
      for (const { text, expr } of rules) {
        handle += 1
        texts.set(`${key} ${handle}`, text)
        entries.push({ rule: { family, table, chain, handle, expr } })
      }
    }
  }
  return { nft: JSON.stringify({ nftables: entries }), texts }
}
