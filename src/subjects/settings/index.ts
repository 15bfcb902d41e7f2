import type { HasFiles, Target } from '../../host/target.ts'
import { defined } from '../../model/defined.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type ResourceExample,
  type ResourceType,
} from '../../resource-type/define.ts'
import { ANY_KEY, type Assignment } from '../../settings/assignment.ts'
import { valueOf, isSameKey } from '../../settings/effective.ts'
import { recordFiles } from '../../settings/files.ts'
import type { Surface } from '../../settings/surface.ts'
import { riskOfPaths } from '../shared/risk.ts'
import { decideSettings, eitherOf, type SettingOrAnyObserved, type AnyObserved } from './any-of.ts'
import { applySetting } from './apply.ts'
import type { SettingDesired, SettingState } from './decide.ts'
import { FORMATS } from './formats.ts'
import { observeSettings } from './observe.ts'
import type { SettingContext } from './plan.ts'
import { riskOfSurfaces, settingRules } from './rules.ts'
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
    summary: 'Whether the key has a value or occurs in no file.',
  },
  value: {
    kind: 'text',
    accepts: 'setting',
    phase: 'deferred',
    summary:
      'The effective value, from any file. Numbers, durations, sizes, bits, booleans and lists are compared by their meaning if the surface defines the type of the key.',
  },
  any_of: {
    kind: 'map',
    values: { kind: 'text', accepts: 'setting', summary: 'As in `value`, or `present` for any value.' },
    nonEmpty: true,
    phase: 'deferred',
    summary:
      'Settings by name, of which at least one must be compliant. A fix does not choose: it sets the one with `fix`, if any.',
  },
  explicit: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    summary: 'Whether the value must be set explicitly, even if the default is accepted.',
  },
  match: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'The scope to check, if values differ by scope: for sshd a connection in the form of `sshd -C` (`user=bob,addr=10.0.0.1`). Without it, each scope with another value is separate drift.',
  },
  format: {
    kind: 'text',
    oneOf: FORMATS,
    phase: 'early',
    parameter: true,
    summary: 'Format of a file without a surface.',
  },
  default: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'With `format`: the default of the program for a key that the file does not set.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'Verdict if the program or the file does not exist: drift that a fix cannot correct, compliant, or create the file anyway.',
  },
})

const exports = defineExports({
  value: { kind: 'text', summary: 'The effective value.' },
  origin: { kind: 'text', summary: 'Its location, as `FILE:LINE`; empty for a default.' },
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
    title: 'The journal is persistent, set explicitly in a file',
    yaml: `
        setting:
          - journald:Storage:
              value: persistent
              explicit: true`,
  },
  {
    title: 'A file without a surface',
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

/** Settings of programs with these surfaces: the effective value, from any source. */
export function settingType(known: readonly Surface[]): ResourceType {
  const find = (name: string): ReturnType<typeof subjectOf> => subjectOf(name, known)
  return defineResource({
    type: 'setting',
    summary: 'Settings of programs: the effective value, from any of their files.',
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

/** Captures the effective value. The name of a surface alone means all keys that its files set. */
function settingCapture(
  surfaces: readonly Surface[],
): ResourceCapture<SettingState | AnyObserved, SettingContext | undefined> {
  return {
    look: {},
    describe(seen, { name, target, isPrivateTaken }): Captured {
      const { one } = eitherOf(seen)
      // A capture observes a single setting.
      if (one === undefined || one.kind === 'absent') return { kind: 'absent' }
      const { surface, key, files } = one.context
      const [forAll] = one.state.effective
      const [hidden] = isPrivateTaken ? [] : forAll.winners.filter(({ file }) => isPrivate(target, file))
      if (hidden !== undefined) {
        return unknown(
          'not-observable',
          `${hidden.file} is not world-readable, so ${name} is omitted; use --private to include it`,
        )
      }
      const value = valueOf(forAll, surface.rulesOf(key, files))
      return value === undefined
        ? { kind: 'absent', properties: { ensure: 'absent' } }
        : { kind: 'present', properties: { value } }
    },
    members(name, target): readonly string[] | Unknown | undefined {
      const surface = surfaces.find((each) => each.name === name)
      if (surface === undefined) return undefined
      const found = keysOf(surface, target)
      return found.kind === 'known' ? found.value.map((key) => `${name}:${key}`) : found
    },
  }
}

/** Whether the file is not world-readable; true for a missing or inaccessible file. */
function isPrivate({ files: { stat } }: HasFiles<'stat'>, file: string): boolean {
  const seen = stat(file)
  return seen.kind !== 'present' || (seen.state.mode & OTHERS_READ) === 0
}

const OTHERS_READ = 0o004

/** The keys that the files of a surface set for all users, as written in policies, sorted. */
function keysOf(surface: Surface, target: Target): Reading<readonly string[]> {
  const { files } = recordFiles(target)
  const installed = surface.installed(files)
  if (installed.kind === 'unknown') return installed
  if (!installed.value) return known([])
  const read = surface.read(files)
  if (read.kind === 'unknown') return read
  const keys = read.value.flatMap((each) => (each.scope === undefined ? keyTextOf(surface, each) : []))
  return known([...new Set(keys)].toSorted())
}

/** The key of a line as written in policies; empty if a policy cannot name it. */
function keyTextOf(surface: Surface, assignment: Assignment): readonly string[] {
  const { section, key } = assignment
  if (key === ANY_KEY) return []
  const found = [key, `${section}.${key}`].find((text) => {
    const meant = surface.keyOf(text)
    return !('problem' in meant) && isSameKey(surface, meant, assignment)
  })
  return found === undefined ? [] : [found]
}
