import { acceptedFor, isAccepted } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { defined } from '../../model/defined.ts'
import { cannot } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import { cannotBeMetHere, pendingReboot } from '../../model/notes.ts'
import type { Reading, Unknown } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { TEXTS } from '../../resource-type/text-order.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import type { DeclaredProfile } from './apparmor-profiles/profile-file.ts'
import type { StoredProfile, StoredProfiles } from './apparmor-profiles/stored.ts'
import type { MacDesired } from './wanted.ts'

export interface LoadedProfile {
  readonly name: string
  /** `enforce`, `complain`, `kill`, `unconfined` or `prompt`. */
  readonly mode: string
}

/** Program that runs unconfined despite an attached profile. */
export interface Unconfined {
  readonly program: string
  readonly pids: readonly number[]
  readonly profile: string
}

/** Observed state of AppArmor; the other fields are only read if it is on. */
export interface ApparmorState {
  /** Off by a boot argument, or not built into the kernel; unknown for an offline system. */
  readonly enabled: 'on' | 'off' | 'not-built' | Unknown
  readonly loaded: Reading<readonly LoadedProfile[]>
  readonly unconfined: Reading<readonly Unconfined[]>
  readonly stored: Reading<StoredProfiles | null>
}

/** Action of a fix: files without complain flags, links to remove, and files to reload. */
export interface ApparmorAction {
  readonly kind: 'apparmor'
  readonly files: readonly EnforcedFile[]
  readonly links: readonly string[]
  readonly load: readonly string[]
}

/** Compares the loaded profiles, the stored profiles and unconfined programs with the policy. */
export function decideApparmor(wanted: MacDesired, state: ApparmorState): Decision<ApparmorAction> {
  const ensure = { desired: 'present', observed: 'present' }
  if (state.enabled === 'off' || state.enabled === 'not-built') {
    const reason =
      state.enabled === 'off'
        ? pendingReboot('AppArmor has been disabled since boot: check the boot arguments apparmor, security and lsm')
        : cannotBeMetHere('the kernel does not support AppArmor')
    return {
      ensure,
      drift: [{ property: 'enabled', desired: true, observed: false, note: reason }],
      unknown: [],
      plan: { kind: 'refuse', obstacles: [cannot(reason)] },
    }
  }
  const { drift, unknown } = mergeParts([
    state.enabled === 'on' ? AS_WANTED : undecided('enabled', state.enabled),
    compareLoaded(wanted, state),
    compareStored(wanted, state),
    compareUnconfined(wanted, state),
  ])
  return {
    ensure,
    drift,
    unknown,
    plan: drift.length === 0 ? NO_PLAN : planFor(wanted, state, drift),
  }
}

function compareLoaded({ profiles, minimum }: MacDesired, { loaded }: ApparmorState): PartialDecision {
  if (loaded.kind === 'unknown') return undecided('profiles', loaded)
  return drifted(
    ...tooFew('loaded', { minimum, count: loaded.value.length }),
    ...notAccepted(profiles, loaded.value).map((each): Drift => {
      return { property: 'profiles', desired: profiles ?? null, observed: each.mode, path: each.name }
    }),
  )
}

interface Count {
  readonly minimum: number
  readonly count: number
  readonly note?: string | undefined
}

function tooFew(property: string, { minimum, count, note }: Count): readonly Drift[] {
  return count >= minimum ? [] : [{ property, desired: { at_least: minimum }, observed: count, ...defined({ note }) }]
}

function notAccepted<Profile extends { readonly mode: string }>(
  accepted: MacDesired['profiles'],
  profiles: readonly Profile[],
): readonly Profile[] {
  if (accepted === undefined) return []
  return profiles.filter(({ mode }) => !isAccepted(TEXTS, acceptanceOf<string>(accepted), mode))
}

/** A disabled profile does not count as loaded at the next boot. */
function compareStored({ profiles, minimum }: MacDesired, { stored }: ApparmorState): PartialDecision {
  if (stored.kind === 'unknown') return undecided('stored', stored)
  const notLoaded = stored.value?.notLoaded
  const all = notLoaded === undefined ? (stored.value?.profiles ?? []) : []
  return drifted(
    ...tooFew('stored', { minimum, count: all.length, note: notLoaded }),
    ...notAccepted(profiles, all).map((each): Drift => {
      return {
        property: 'stored',
        desired: profiles ?? null,
        observed: each.mode,
        path: each.name,
        note: whereSet(each),
      }
    }),
  )
}

function whereSet({ forcedBy, file, line }: StoredProfile): string {
  return forcedBy === undefined ? `set by ${file}:${line}` : `set by the link ${forcedBy}`
}

function compareUnconfined({ confined }: MacDesired, { unconfined }: ApparmorState): PartialDecision {
  if (confined !== true) return AS_WANTED
  if (unconfined.kind === 'unknown') return undecided('confined', unconfined)
  return drifted(
    ...unconfined.value.map(({ program, pids, profile }) => ({
      property: 'confined',
      desired: true,
      observed: false,
      path: program,
      note: `${pids.length === 1 ? `process ${pids[0]} runs` : `processes ${pids.join(', ')} run`} without the profile ${profile}`,
    })),
  )
}

function planFor(wanted: MacDesired, state: ApparmorState, drift: readonly Drift[]): Plan<ApparmorAction> {
  const wrong = drift.filter(({ property, path }) => path !== undefined && property !== 'confined')
  const names = [...new Set(wrong.map(({ path }) => path ?? ''))]
  const done = enforce(wanted, state, names)
  const obstacles = [...done.obstacles, ...drift.flatMap(whyNot)]
  const [first, ...others] = obstacles
  const { action } = done
  if (action.load.length === 0) {
    return { kind: 'refuse', obstacles: [first ?? cannot('a fix has nothing to change'), ...others] }
  }
  const act = {
    kind: 'act',
    action,
    text: 'Would have set the profiles to enforce mode',
    effects: [
      ...action.files.map(({ path }) => ({ kind: 'write', object: path }) as const),
      ...action.links.map((path) => ({ kind: 'remove', object: path }) as const),
      ...action.load.map((path) => ({ kind: 'run', object: `apparmor_parser -r ${path}` }) as const),
    ],
    obstacles: [],
  } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}

function whyNot({ property, path, note }: Drift): readonly Obstacle[] {
  if (property === 'confined') return [cannot(`restart ${path} to confine it by its profile: ${note}`)]
  if (path !== undefined) return []
  if (note !== undefined) return [cannot(`${note}: run systemctl enable --now apparmor`)]
  return [cannot('too few profiles: install packages that provide profiles', { mayComeWithRequirement: true })]
}

interface Enforcing {
  readonly action: ApparmorAction
  readonly obstacles: readonly Obstacle[]
}

/** Sets complaining profiles to enforce mode like aa-enforce(8); other modes are left to the administrator. */
function enforce({ profiles }: MacDesired, { loaded, stored }: ApparmorState, names: readonly string[]): Enforcing {
  const obstacles: Obstacle[] = []
  const chosen: StoredProfile[] = []
  const files = stored.kind === 'known' ? stored.value : null
  const loadedModes = new Map(loaded.kind === 'known' ? loaded.value.map(({ name, mode }) => [name, mode]) : [])
  for (const name of names) {
    const own = files?.profiles.filter((each) => each.name === name) ?? []
    const modes = [...own.map(({ mode }) => mode), ...(loadedModes.has(name) ? [loadedModes.get(name)] : [])]
    const fixed = profiles === undefined ? undefined : acceptedFor(TEXTS, acceptanceOf<string>(profiles), 'complain')
    const isWrittenSo = modes.every((mode) => mode === 'complain' || mode === 'enforce')
    if (fixed !== 'enforce') obstacles.push(cannot(`${name}: a fix sets profiles only to enforce mode`))
    else if (own.length === 0)
      obstacles.push(cannot(`${name} is not in a file of /etc/apparmor.d: change the program that loads it`))
    else if (!isWrittenSo)
      obstacles.push(cannot(`${name} sets a mode other than complain or enforce: change it by hand`))
    else chosen.push(...own)
  }
  if (files === null || chosen.length === 0) return { action: NOTHING, obstacles }
  const { edited, refused } = enforcedFiles(files, chosen)
  const isDone = ({ file }: StoredProfile): boolean => !refused.includes(file)
  return {
    action: {
      kind: 'apparmor',
      files: edited,
      links: [...new Set(chosen.flatMap(({ forcedBy }) => forcedBy ?? []))],
      load: [...new Set(chosen.filter(isDone).map(({ source }) => source))],
    },
    obstacles: [...obstacles, ...refused.map((file) => cannot(`${file} is not UTF-8 text: edit it by hand`))],
  }
}

const NOTHING: ApparmorAction = { kind: 'apparmor', files: [], links: [], load: [] }

/** File with its profiles no longer in complain mode. */
interface EnforcedFile {
  readonly path: string
  readonly text: string
}

/** Removes the `complain` flag of these profiles; also returns the files that cannot be edited. */
function enforcedFiles(
  { texts }: Pick<StoredProfiles, 'texts'>,
  profiles: readonly StoredProfile[],
): { readonly edited: readonly EnforcedFile[]; readonly refused: readonly string[] } {
  const edited: EnforcedFile[] = []
  const refused: string[] = []
  for (const path of new Set(profiles.map(({ file }) => file))) {
    const own = profiles.filter(({ file, flags }) => file === path && flags?.list.includes('complain') === true)
    const before = texts.get(path) ?? ''
    if (own.length === 0) continue
    // Its undecodable characters would be lost.
    if (/[\uFFFD\p{Cs}]/u.test(before)) refused.push(path)
    else edited.push({ path, text: withoutComplain(before, own) })
  }
  return { edited, refused }
}

/** Edits from the end, so that earlier positions stay valid. A profile that is included twice is edited once. */
function withoutComplain(text: string, profiles: readonly DeclaredProfile[]): string {
  const places = new Map(profiles.flatMap(({ flags }) => (flags === undefined ? [] : [[flags.start, flags] as const])))
  return [...places.values()]
    .toSorted((left, right) => right.start - left.start)
    .reduce((edited, { start, end, list }) => {
      const others = list.filter((flag) => flag !== 'complain')
      const flags = others.length === 0 ? '' : ` flags=(${others.join(',')})`
      const rest = edited.slice(end)
      // Without flags the brace would become part of the preceding word.
      return `${edited.slice(0, start)}${flags}${flags === '' && rest.startsWith('{') ? ' ' : ''}${rest}`
    }, text)
}
