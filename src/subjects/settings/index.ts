import { defined } from '../../model/defined.ts'
import type { ExportsOf } from '../../model/exported.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type ResourceExample,
  type ResourceType,
} from '../../resource-type/define.ts'
import { valueOf } from '../../settings/effective.ts'
import type { Surface } from '../../settings/surface.ts'
import { riskOfSurfaces, settingRules } from './rules.ts'
import { FORMATS, surfaces } from './surfaces.ts'
import { riskOfPaths } from '../shared/risk.ts'
import { applySetting } from './apply.ts'
import { decideSettings, eitherOf, type SettingOrAnyObserved } from './any-of.ts'
import { settingCapture } from './capture.ts'
import type { SettingDesired } from './decide.ts'
import { observeSettings } from './observe.ts'
import { subjectOf } from './subject.ts'

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

const exports = defineExports({
  value: { kind: 'text', summary: 'The value that the program uses.' },
  origin: { kind: 'text', summary: 'Where it is written, as `FILE:LINE`; nothing for a default.' },
})

const EXAMPLES: readonly ResourceExample[] = [
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
]

/** Settings of programs: the effective value, from any source. */
export const setting: ResourceType = settingType(surfaces)

/** Creates the resource type for these surfaces. */
export function settingType(known: readonly Surface[]): ResourceType {
  const find = (name: string): ReturnType<typeof subjectOf> => subjectOf(name, known)
  return defineResource({
    type: 'setting',
    summary: 'Settings of programs: the value that is used, whichever of their files it comes from.',
    properties,
    rules: settingRules(find),
    exports,
    drifts: ['ensure', 'value', 'explicit', 'any_of'],
    neverSecret: ['ensure', 'explicit'],
    examples: EXAMPLES,
    platforms: ['linux'],
    observe: (target, wanted, context) => observeSettings(target, wanted, context, known),
    decide: decideSettings,
    hazards: ({ name, any_of: members = {} }, action) => ({
      risk:
        riskOfSurfaces([name, ...Object.keys(members)].map(find)) ?? riskOfPaths(action.writes.map(({ file }) => file)),
    }),
    apply: applySetting,
    exportsOf: exportsOfSetting,
    capture: settingCapture(known),
  })
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
