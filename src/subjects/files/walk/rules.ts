import { isAcceptance, valuesNamed } from '../../../model/acceptance.ts'
import { parseMode } from '../../../model/mode.ts'
import { patternProblem } from '../../../model/path-patterns.ts'
import type { PropertiesOf, Rule } from '../../../model/property.ts'
import { KINDS, properties } from './properties.ts'

type Properties = PropertiesOf<typeof properties>

function namedProblem(given: Partial<Properties>): string | undefined {
  const { name, named_by: program, include, exclude, depth, only, file_systems: fileSystems } = given
  if (program === undefined) return undefined
  if (name !== '/') return `named_by checks files in any directory: the name must be "/"`
  const isNarrowed = [include, exclude, depth, only].some((value) => value !== undefined) || fileSystems === 'all_local'
  return isNarrowed ? 'named_by selects the files: omit include, exclude, depth, only and file_systems' : undefined
}

function onlyFalse(property: 'unowned' | 'capabilities'): Rule<Properties> {
  return {
    summary: `\`${property}\` can only be \`false\`.`,
    reads: [property],
    at: property,
    check: ({ [property]: value }) =>
      value === true ? `${property} can only be false: omit it to accept both` : undefined,
  }
}

function patternsOf(property: 'include' | 'exclude' | 'only'): Rule<Properties> {
  return {
    reads: [property],
    at: property,
    check({ [property]: patterns = [] }) {
      for (const pattern of patterns) {
        const problem = patternProblem(pattern)
        if (problem !== undefined) return `the pattern "${pattern}" ${problem}`
      }
      return undefined
    },
  }
}

function modeOf(property: 'mode' | 'with_mode'): Rule<Properties> {
  return {
    reads: [property],
    at: property,
    check({ [property]: mode }) {
      if (mode === undefined) return undefined
      for (const text of isAcceptance(mode) ? valuesNamed(mode) : [mode]) {
        const parsed = parseMode(text)
        if ('problem' in parsed) return `${property} "${text}" ${parsed.problem}`
      }
      return undefined
    },
  }
}

function kindProblem(kind: Properties['kind']): string | undefined {
  if (kind === undefined) return undefined
  const named = isAcceptance(kind) ? valuesNamed(kind) : [kind]
  const strange = named.find((each) => !(KINDS as readonly string[]).includes(each))
  return strange === undefined ? undefined : `kind "${strange}" is not one of ${KINDS.join(', ')}`
}

/** What properties of a set of files can and cannot stand together. */
export const filesRules: readonly Rule<Properties>[] = [
  {
    summary: 'At least one of `mode`, `owner`, `group`, `kind`, `unowned`, `capabilities` and `only` is set.',
    reads: ['mode', 'owner', 'group', 'kind', 'unowned', 'capabilities', 'only'],
    check: ({ mode, owner, group, kind, unowned, capabilities, only }) =>
      [mode, owner, group, kind, unowned, capabilities, only].every((value) => value === undefined)
        ? 'needs at least one of mode, owner, group, kind, unowned, capabilities and only: nothing is compared'
        : undefined,
  },
  {
    summary:
      'With `named_by` the name is `/`, and `include`, `exclude`, `depth`, `only` and `file_systems: all_local` are not set.',
    reads: ['name', 'named_by', 'include', 'exclude', 'depth', 'only', 'file_systems'],
    at: 'named_by',
    check: namedProblem,
  },
  onlyFalse('unowned'),
  onlyFalse('capabilities'),
  patternsOf('include'),
  patternsOf('exclude'),
  patternsOf('only'),
  modeOf('mode'),
  modeOf('with_mode'),
  { reads: ['kind'], at: 'kind', check: ({ kind }) => kindProblem(kind) },
]
