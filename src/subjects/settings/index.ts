import { CONDITIONS, isAcceptance, valuesNamed } from '../../model/acceptance.ts'
import { defined } from '../../model/defined.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { valueOf } from '../../settings/effective.ts'
import { FORMATS } from './surfaces.ts'
import { riskOfPaths } from '../shared/risk.ts'
import { applySetting } from './apply.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { decideSettings, eitherOf, type SettingOrAny, type SettingOrAnyObserved } from './any-of.ts'
import { settingCapture } from './capture.ts'
import type { SettingDesired } from './decide.ts'
import { observeSettings } from './observe.ts'
import { subjectOf } from './subject.ts'

/** What a policy may say about a setting of a program. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'The setting, as `SURFACE:KEY` (`login.defs:PASS_MAX_DAYS`, `journald:Storage` or `journald:Journal.Storage`), or as `FILE:KEY` with a `format` (`/etc/app.ini:section.key`). With `any_of` any title.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether the key has a value, or no file mentions it.',
  },
  value: {
    kind: 'text',
    accepts: 'setting',
    phase: 'deferred',
    summary:
      'The effective value, from any file. Numbers compare as numbers, and spans of time, sizes, bits, yes or no, and lists as what they are where the surface knows that a key is one.',
  },
  any_of: {
    kind: 'map',
    values: { kind: 'text', accepts: 'setting', summary: 'As in `value`, or `present` for any value.' },
    nonEmpty: true,
    phase: 'deferred',
    summary:
      'Settings by name, of which at least one has to be right. A fix does not choose: it sets the one that says `fix`, if any.',
  },
  explicit: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    summary: 'Whether the value has to be written although the default of the program would do.',
  },
  match: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'For whom the value is asked, where it may be another one for some: of sshd a connection as `sshd -C` takes it (`user=bob,addr=10.0.0.1`). Without it, what counts for some is a difference of its own.',
  },
  format: {
    kind: 'text',
    oneOf: FORMATS,
    phase: 'early',
    parameter: true,
    summary: 'How a file is written that is no surface by itself.',
  },
  default: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'With `format`: the value that the program uses where the file does not say one.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'What it is if the program, or the file, is not there: a difference that a fix cannot take away, compliant, or something to write all the same.',
  },
})

/** What later resources can read. */
const exports = defineExports({
  value: { kind: 'text', summary: 'The value that the program uses.' },
  origin: { kind: 'text', summary: 'Where it is written, as `FILE:LINE`; nothing for a default.' },
})

/** Settings of programs: the value that is used, wherever it comes from. */
export const setting: ResourceType = defineResource({
  type: 'setting',
  summary: 'Settings of programs: the value that is used, whichever of their files it comes from.',
  properties,
  rules: [
    {
      summary: 'A file has a `format`; a surface knows its own.',
      reads: ['name', 'format', 'any_of'],
      at: 'name',
      check: ({ name, format, any_of: members }) =>
        name === undefined || members !== undefined ? undefined : nameProblem(name, format),
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
        members === undefined ? undefined : membersProblem(members, format, match),
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
      check: ({ name, value }) => valueProblem(name, value),
    },
    {
      summary: '`match` is for surfaces on which it means something.',
      reads: ['name', 'match', 'any_of'],
      at: 'match',
      check: ({ name, match, any_of: members }) => (members === undefined ? matchProblem(name, match) : undefined),
    },
    {
      summary: 'A setting that is to be absent has no `value`.',
      reads: ['ensure', 'value'],
      at: 'value',
      check: ({ ensure, value }) =>
        ensure === 'absent' && value !== undefined ? 'what is to be absent has no value' : undefined,
    },
  ],
  exports,
  drifts: ['ensure', 'value', 'explicit', 'any_of'],
  neverSecret: ['ensure', 'explicit'],
  examples: [
    {
      title: 'Passwords expire within a year',
      yaml: `
        setting:
          - login.defs:PASS_MAX_DAYS:
              value: { at_least: 1, at_most: 365 }`,
    },
    {
      title: 'The journal is kept, and a file says so',
      yaml: `
        setting:
          - journald:Storage:
              value: persistent
              explicit: true`,
    },
    {
      title: 'A file that no surface knows',
      yaml: `
        setting:
          - /etc/libuser.conf:defaults.crypt_style:
              format: ini
              value: sha512
              if_absent: compliant`,
    },
    {
      title: 'SSH logins are limited by users or groups',
      yaml: `
        setting:
          - who may log in by ssh:
              any_of:
                sshd:AllowUsers: present
                sshd:AllowGroups: { matches: '.+', fix: ssh-users }`,
    },
  ],
  platforms: ['linux'],
  observe: observeSettings,
  decide: decideSettings,
  hazards: ({ name, any_of: members = {} }, action) => ({
    risk: riskOfSurfaces([name, ...Object.keys(members)]) ?? riskOfPaths(action.writes.map(({ file }) => file)),
  }),
  apply: applySetting,
  exportsOf: exportsOfSetting,
  capture: settingCapture,
})

function riskOfSurfaces(names: readonly string[]): string | undefined {
  const subjects = names.map(subjectOf)
  return subjects.flatMap((subject) => (subject.kind === 'surface' ? (subject.surface.risk ?? []) : []))[0]
}

function nameProblem(name: string, format: string | undefined): string | undefined {
  const subject = subjectOf(name)
  if (subject.kind === 'none') return subject.problem
  if (subject.kind === 'file')
    return format === undefined ? 'format must say how the file of name is written' : undefined
  return format === undefined ? undefined : 'format is for files: a surface knows its own'
}

function membersProblem(
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
    const problem = nameProblem(name, format) ?? valueProblem(name, value) ?? matchProblem(name, match)
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })
  return problems[0]
}

function matchProblem(name: string | undefined, match: string | undefined): string | undefined {
  const subject = name === undefined || match === undefined ? undefined : subjectOf(name)
  if (match === undefined || subject === undefined || subject.kind === 'none') return undefined
  const problemOf = subject.kind === 'surface' ? subject.surface.matchProblem : undefined
  return problemOf === undefined ? `match means nothing for ${name}` : problemOf(match)
}

function valueProblem(name: string | undefined, value: SettingDesired['value']): string | undefined {
  if (value === undefined) return undefined
  if (valuesNamed(acceptanceOf(value)).some((each) => /[\n\r\0]/.test(each))) return 'value must be a single line'
  const subject = name === undefined ? undefined : subjectOf(name)
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

function exportsOfSetting(_wanted: SettingDesired, observed: SettingOrAnyObserved): ExportsOf<typeof exports> {
  const { one, members } = eitherOf(observed)
  if (members !== undefined || one.kind === 'absent') return {}
  const [forAll] = one.state.effective
  const { surface, key, files } = one.context
  const [winner] = forAll.winners
  const origin = winner === undefined ? undefined : `${winner.file}:${winner.line}`
  return defined({ value: valueOf(forAll, surface.rulesOf(key, files)), origin })
}
