import type { Reading } from '../../../model/observation.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { readSshdConfig, type SshdConfig } from '../config.ts'
import { cutWord, splitArguments } from '../line.ts'
import type { Criterion } from '../match.ts'
import { clientKeywordNamed } from './keywords.ts'

export const MAIN = '/etc/ssh/ssh_config'

/** What `Match` takes in ssh_config; the first ones without a pattern. @see ssh_config(5) */
const CONDITION =
  /^!?(?:(all|canonical|final)|exec|localnetwork|host|originalhost|tagged|command|user|localuser|version|sessiontype)$/

function criteriaOf(keyword: string, text: string): readonly Criterion[] | null | undefined {
  if (keyword === 'match') return conditionsIn(text)
  if (keyword !== 'host') return null
  const patterns = splitArguments(text) ?? []
  const isAll = patterns.includes('*') && patterns.every((pattern) => !pattern.startsWith('!'))
  return [isAll ? { name: 'all', pattern: '' } : { name: 'patterns', pattern: text }]
}

function conditionsIn(text: string): readonly Criterion[] | undefined {
  const criteria: Criterion[] = []
  let rest = text
  while (rest !== '') {
    const cut = cutWord(rest)
    if (cut === undefined) return undefined
    if (cut.word.startsWith('#')) break
    const name = cut.word.toLowerCase()
    const condition = CONDITION.exec(name)
    if (condition === null) return undefined
    const value = condition[1] === undefined ? cutWord(cut.rest) : { word: '', rest: cut.rest }
    if (value === undefined || (condition[1] === undefined && value.word === '')) return undefined
    criteria.push({ name, pattern: value.word })
    rest = value.rest
  }
  const names = criteria.map(({ name }) => name).filter((name) => name !== 'final' && name !== 'canonical')
  const isAlone = names.length === 1 && criteria.at(-1)?.name === 'all'
  return criteria.length === 0 || (names.includes('all') && !isAlone) ? undefined : criteria
}

/** Reads the configuration for all users; without one, ssh has its defaults. */
export function readClientConfig(files: ConfigFiles): Reading<SshdConfig | null> {
  return readSshdConfig(files, MAIN, {
    program: 'ssh',
    consequence: 'ssh does not connect',
    criteriaOf,
    keywordNamed: clientKeywordNamed,
    isGlobalOnly: () => false,
    needsIncluded: false,
  })
}
