import { CONDITIONS, isAcceptance, valuesNamed } from '../../model/acceptance.ts'
import type { Rule } from '../../model/property.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import type { SettingOrAny } from './any-of.ts'
import type { SettingDesired } from './decide.ts'
import type { subjectOf } from './subject.ts'

/** Resolves the name of a setting. */
type Find = (name: string) => ReturnType<typeof subjectOf>

/** Validation rules for the properties of a setting. */
export function settingRules(find: Find): readonly Rule<SettingOrAny>[] {
  return [
    {
      summary: 'A file has a `format`; a surface knows its own.',
      reads: ['name', 'format', 'any_of'],
      at: 'name',
      check: ({ name, format, any_of: members }) =>
        name === undefined || members !== undefined ? undefined : nameProblem(find, name, format),
    },
    {
      summary: '`default` is for files: a surface knows the defaults of its program.',
      reads: ['format', 'default'],
      at: 'default',
      check: ({ format, default: preset }) =>
        preset !== undefined && format === undefined ? 'default is for files that have a format' : undefined,
    },
    {
      summary: '`any_of` has at least two settings, each written as one of its own, of which one may say `fix`.',
      reads: ['any_of', 'format', 'match'],
      at: 'any_of',
      check: ({ any_of: members, format, match }) =>
        members === undefined ? undefined : membersProblem(find, members, format, match),
    },
    {
      summary: '`any_of` stands in place of `ensure: absent` and `value`.',
      reads: ['any_of', 'ensure', 'value'],
      at: 'any_of',
      check: ({ any_of: members, ensure, value }) =>
        members !== undefined && (ensure === 'absent' || value !== undefined)
          ? 'any_of has what is wanted of each setting: leave ensure and value out'
          : undefined,
    },
    {
      summary: '`value` takes the words that mean something for the key: bounds where its values have an order.',
      reads: ['name', 'value'],
      at: 'value',
      check: ({ name, value }) => valueProblem(find, name, value),
    },
    {
      summary: '`match` is for surfaces on which it means something.',
      reads: ['name', 'match', 'any_of'],
      at: 'match',
      check: ({ name, match, any_of: members }) =>
        members === undefined ? matchProblem(find, name, match) : undefined,
    },
    {
      summary: 'A setting that is to be absent has no `value`.',
      reads: ['ensure', 'value'],
      at: 'value',
      check: ({ ensure, value }) =>
        ensure === 'absent' && value !== undefined ? 'what is to be absent has no value' : undefined,
    },
  ]
}

/** The risk of changing these settings. */
export function riskOfSurfaces(subjects: readonly ReturnType<Find>[]): string | undefined {
  return subjects.flatMap((subject) => (subject.kind === 'surface' ? (subject.surface.risk ?? []) : []))[0]
}

function nameProblem(find: Find, name: string, format: string | undefined): string | undefined {
  const subject = find(name)
  if (subject.kind === 'none') return subject.problem
  if (subject.kind === 'file')
    return format === undefined ? 'format must say how the file of name is written' : undefined
  return format === undefined ? undefined : 'format is for files: a surface knows its own'
}

function membersProblem(
  find: Find,
  members: NonNullable<SettingOrAny['any_of']>,
  format: string | undefined,
  match: string | undefined,
): string | undefined {
  const entries = Object.entries(members)
  const [only, another] = entries
  if (only !== undefined && another === undefined) return `${only[0]} is alone: name another, or ask for it by itself`
  const chosen = entries.filter(([, value]) => isAcceptance(value) && value.fix !== undefined)
  if (chosen.length > 1) return `${chosen.map(([name]) => name).join(' and ')} say fix: let one of them say it`
  const problems = entries.flatMap(([name, value]) => {
    const problem =
      nameProblem(find, name, format) ?? valueProblem(find, name, value) ?? matchProblem(find, name, match)
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })
  return problems[0]
}

function matchProblem(find: Find, name: string | undefined, match: string | undefined): string | undefined {
  const subject = name === undefined || match === undefined ? undefined : find(name)
  if (match === undefined || subject === undefined || subject.kind === 'none') return undefined
  const problemOf = subject.kind === 'surface' ? subject.surface.matchProblem : undefined
  return problemOf === undefined ? `match means nothing for ${name}` : problemOf(match)
}

function valueProblem(find: Find, name: string | undefined, value: SettingDesired['value']): string | undefined {
  if (value === undefined) return undefined
  if (valuesNamed(acceptanceOf(value)).some((each) => /[\n\r\0]/.test(each))) return 'value must be a single line'
  const subject = name === undefined ? undefined : find(name)
  if (subject?.kind !== 'surface' || !isAcceptance(value)) return undefined
  const { order } = subject.surface.rulesOf(subject.key)
  const needs = {
    at_least: order.raise,
    at_most: order.lower,
    includes: order.include,
    excludes: order.exclude,
  } as const
  const word = CONDITIONS.find(
    (each) => value[each] !== undefined && each in needs && needs[each as keyof typeof needs] === undefined,
  )
  return word === undefined ? undefined : `value: ${word} means nothing for ${name}`
}
