import { CONDITIONS, isAcceptance, valuesNamed } from '../../model/acceptance.ts'
import type { Rule } from '../../model/property.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import type { SettingOrAny } from './any-of.ts'
import type { SettingDesired } from './decide.ts'
import type { subjectOf } from './subject.ts'

type Find = (name: string) => ReturnType<typeof subjectOf>

/** Validation rules for the properties of a setting. */
export function settingRules(find: Find): readonly Rule<SettingOrAny>[] {
  return [
    {
      summary: 'A file requires `format`; a surface defines its own.',
      reads: ['name', 'format', 'any_of'],
      at: 'name',
      check: ({ name, format, any_of: members }) =>
        name === undefined || members !== undefined ? undefined : nameProblem(find, name, format),
    },
    {
      summary: '`default` requires `format`: a surface defines the defaults of its program.',
      reads: ['format', 'default'],
      at: 'default',
      check: ({ format, default: preset }) =>
        preset !== undefined && format === undefined ? 'default requires format' : undefined,
    },
    {
      summary: '`any_of` has at least two settings, each valid on its own, of which one may have `fix`.',
      reads: ['any_of', 'format', 'match'],
      at: 'any_of',
      check: ({ any_of: members, format, match }) =>
        members === undefined ? undefined : membersProblem(find, members, format, match),
    },
    {
      summary: '`any_of` replaces `ensure: absent` and `value`.',
      reads: ['any_of', 'ensure', 'value'],
      at: 'any_of',
      check: ({ any_of: members, ensure, value }) =>
        members !== undefined && (ensure === 'absent' || value !== undefined)
          ? 'any_of holds the desired value of each setting: omit ensure and value'
          : undefined,
    },
    {
      summary: '`value` accepts only conditions that apply to the key, such as bounds for ordered values.',
      reads: ['name', 'value'],
      at: 'value',
      check: ({ name, value }) => valueProblem(find, name, value),
    },
    {
      summary: '`match` requires a surface that supports it.',
      reads: ['name', 'match', 'any_of'],
      at: 'match',
      check: ({ name, match, any_of: members }) =>
        members === undefined ? matchProblem(find, name, match) : undefined,
    },
    {
      summary: '`ensure: absent` excludes `value`.',
      reads: ['ensure', 'value'],
      at: 'value',
      check: ({ ensure, value }) =>
        ensure === 'absent' && value !== undefined ? 'ensure: absent cannot be combined with value' : undefined,
    },
  ]
}

export function riskOfSurfaces(subjects: readonly ReturnType<Find>[]): string | undefined {
  return subjects.flatMap((subject) => (subject.kind === 'surface' ? (subject.surface.risk ?? []) : []))[0]
}

function nameProblem(find: Find, name: string, format: string | undefined): string | undefined {
  const subject = find(name)
  if (subject.kind === 'none') return subject.problem
  if (subject.kind === 'file') return format === undefined ? 'a file as the name needs a format' : undefined
  return format === undefined ? undefined : 'format applies to files only: a surface defines its own'
}

function membersProblem(
  find: Find,
  members: NonNullable<SettingOrAny['any_of']>,
  format: string | undefined,
  match: string | undefined,
): string | undefined {
  const entries = Object.entries(members)
  const [only, another] = entries
  if (only !== undefined && another === undefined) return `any_of needs at least two settings, and has only ${only[0]}`
  const chosen = entries.filter(([, value]) => isAcceptance(value) && value.fix !== undefined)
  if (chosen.length > 1) return `${chosen.map(([name]) => name).join(' and ')} have a "fix" value: give it to one only`
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
  return problemOf === undefined ? `match does not apply to ${name}` : problemOf(match)
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
  return word === undefined ? undefined : `value: ${word} does not apply to ${name}`
}
