import type { Reading } from '../../../model/observation.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'
import { readSshdConfig, type SshdConfig } from '../config.ts'
import { splitArguments } from '../line.ts'
import { type Criterion, readCriteria } from '../match.ts'
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
  const criteria = readCriteria(text, (name) => {
    const condition = CONDITION.exec(name)
    return condition === null ? undefined : condition[1] === undefined
  })
  if (criteria === undefined || criteria.length === 0) return undefined
  const names = criteria.map(({ name }) => name).filter((name) => name !== 'final' && name !== 'canonical')
  const isAlone = names.length === 1 && criteria.at(-1)?.name === 'all'
  return names.includes('all') && !isAlone ? undefined : criteria
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
