import { acceptedFor, isAccepted } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import type { Effect } from '../../model/effect.ts'
import { pendingReboot } from '../../model/notes.ts'
import type { Reading } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { SELINUX_CONFIG, selinuxFormat } from './selinux-settings.ts'
import { TEXTS } from '../../resource-type/text-order.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import type { MacDesired } from './wanted.ts'

/** Configuration for the next boot. */
export interface SelinuxConfig {
  /** SELINUX, without which libselinux disables SELinux, and SELINUXTYPE; `null` if not set. */
  readonly mode: string | null
  readonly policy: string | null
  /** Their locations, `FILE:LINE`, or a note that they are missing. */
  readonly modeAt: string
  readonly policyAt: string
  /** Whether the policy of that name is installed. */
  readonly hasPolicy: boolean
  /** The text of the file; `null` if absent. */
  readonly text: string | null
}

/** Boolean: its current value, and its value after the next boot; `null` if it does not exist. */
export interface SelinuxBoolean {
  readonly now: Reading<'on' | 'off' | null>
  readonly stored: Reading<'on' | 'off' | null>
}

export interface SelinuxState {
  readonly mode: Reading<'enforcing' | 'permissive' | 'disabled'>
  readonly config: Reading<SelinuxConfig>
  /** Current boot arguments that disable or weaken SELinux; they persist until changed. */
  readonly bootArguments: Reading<readonly string[]>
  readonly booleans: Readonly<Record<string, SelinuxBoolean>>
  /** Whether all files are relabelled at boot. */
  readonly relabels: boolean
}

/** Steps of a fix, in order. */
export interface SelinuxAction {
  readonly kind: 'selinux'
  /** The new text of the configuration. */
  readonly config?: string
  readonly relabel: boolean
  /** `NAME=VALUE`. */
  readonly booleans: readonly string[]
  readonly setenforce?: '0' | '1'
}

/** This file triggers a relabelling at boot. */
export const AUTORELABEL = '/.autorelabel'

const ARGUMENTS = 'boot arguments'
const MODES_OF_SELINUX = ['enforcing', 'permissive', 'disabled']

/** Compares the current state and the state after the next boot with the policy. */
export function decideSelinux(wanted: MacDesired, state: SelinuxState): Decision<SelinuxAction> {
  const { drift, unknown } = mergeParts([
    compareMode(wanted, state),
    compareStored(wanted, state),
    compareArguments(wanted, state),
    comparePolicy(wanted, state),
    compareBooleans(wanted, state),
  ])
  const messages = state.relabels ? [pendingReboot('/.autorelabel exists, so all files are relabelled')] : []
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    plan: drift.length === 0 ? NO_PLAN : planFor(wanted, state, drift),
    ...(messages.length === 0 ? {} : { messages }),
  }
}

/** Without a desired mode, SELinux only must not be disabled. */
function modeOf({ mode }: MacDesired): NonNullable<MacDesired['mode']> {
  return mode ?? { one_of: ['enforcing', 'permissive'] }
}

function isRight(wanted: MacDesired, mode: string): boolean {
  return isAccepted(TEXTS, acceptanceOf<string>(modeOf(wanted)), mode)
}

function compareMode(wanted: MacDesired, { mode }: SelinuxState): PartialDecision {
  if (mode.kind === 'unknown') return undecided('mode', mode)
  if (isRight(wanted, mode.value)) return AS_WANTED
  return drifted({ property: 'mode', desired: modeOf(wanted), observed: mode.value })
}

function compareStored(wanted: MacDesired, { config }: SelinuxState): PartialDecision {
  if (config.kind === 'unknown') return undecided('stored', config)
  const { mode, modeAt } = config.value
  if (isRight(wanted, mode ?? 'disabled')) return AS_WANTED
  return drifted({ property: 'stored', desired: modeOf(wanted), observed: mode, note: modeAt })
}

function compareArguments(wanted: MacDesired, { bootArguments }: SelinuxState): PartialDecision {
  if (bootArguments.kind === 'unknown') return undecided('stored', bootArguments)
  const wrong = bootArguments.value.filter((each) => !isRight(wanted, each === 'selinux=0' ? 'disabled' : 'permissive'))
  return drifted(
    ...wrong.map((each) => ({
      property: 'stored',
      desired: modeOf(wanted),
      observed: each,
      path: ARGUMENTS,
      note: 'on the command line of the running kernel, and of the next boot unless the boot loader is changed',
    })),
  )
}

/** The kernel does not report the policy name, so the configured policy counts if it is installed. */
function comparePolicy({ policy }: MacDesired, { config }: SelinuxState): PartialDecision {
  if (policy === undefined) return AS_WANTED
  if (config.kind === 'unknown') return undecided('policy', config)
  const { policy: name, policyAt, hasPolicy } = config.value
  const isAsWanted = isAccepted(TEXTS, acceptanceOf<string>(policy), nameOf(config.value))
  if (isAsWanted && hasPolicy) return AS_WANTED
  const note = isAsWanted ? `the policy ${nameOf(config.value)} is not installed` : policyAt
  return drifted({ property: 'policy', desired: policy, observed: isAsWanted ? null : name, note })
}

/** Default policy name of libselinux. */
function nameOf({ policy }: SelinuxConfig): string {
  return policy ?? 'targeted'
}

function compareBooleans({ booleans = {} }: MacDesired, state: SelinuxState): PartialDecision {
  const parts: PartialDecision[] = []
  for (const [name, desired] of Object.entries(booleans)) {
    const seen = state.booleans[name]
    for (const [property, reading] of [
      ['booleans', seen?.now],
      ['stored_booleans', seen?.stored],
    ] as const) {
      if (reading === undefined) continue
      if (reading.kind === 'unknown') parts.push(undecided(property, reading))
      else if (reading.value !== desired)
        parts.push(drifted({ property, desired, observed: reading.value, path: name }))
    }
  }
  return mergeParts(parts)
}

function planFor(wanted: MacDesired, state: SelinuxState, drift: readonly Drift[]): Plan<SelinuxAction> {
  const isWrong = (property: string): boolean => drift.some((each) => each.property === property)
  const now = state.mode.kind === 'known' ? state.mode.value : undefined
  const isStoredWrong = drift.some(({ property, path }) => property === 'stored' && path === undefined)
  const target = targetOf(wanted)
  const config = isStoredWrong && target !== undefined ? configWith(target, state.config) : undefined
  const canSwitch = target !== undefined && target !== 'disabled' && now !== undefined && now !== 'disabled'
  const booleans = drift.filter(({ property }) => property.endsWith('booleans'))
  const action: SelinuxAction = {
    kind: 'selinux',
    ...(typeof config === 'string' ? { config } : {}),
    // Files created while SELinux was off have no labels.
    relabel: typeof config === 'string' && target !== 'disabled' && now === 'disabled' && !state.relabels,
    booleans: settableBooleans(wanted, booleans),
    ...(isWrong('mode') && canSwitch ? { setenforce: target === 'enforcing' ? '1' : '0' } : {}),
  }
  return planOf(action, [
    ...((isWrong('mode') || isStoredWrong) && target === undefined ? [NO_TARGET] : []),
    ...(isWrong('mode') && target !== undefined && !canSwitch ? [whyNotNow(target)] : []),
    ...(config === undefined || typeof config === 'string' ? [] : [config]),
    ...(drift.some(({ path }) => path === ARGUMENTS) ? [OF_BOOT_LOADER] : []),
    ...(isWrong('policy') ? [whyNotPolicy(wanted, state)] : []),
    ...booleans
      .filter(({ observed }) => observed === null)
      .map(({ path }) => cannot(`the loaded policy has no boolean ${path}`)),
  ])
}

const NO_TARGET = cannot('cannot derive an SELinux mode from the condition on mode: set "fix" to the mode to write')
const OF_BOOT_LOADER = cannot('remove the argument from the boot loader configuration')

/** Mode that a fix sets, if any. */
function targetOf(wanted: MacDesired): string | undefined {
  const mode = acceptedFor(TEXTS, acceptanceOf<string>(modeOf(wanted)), undefined)
  return mode !== undefined && MODES_OF_SELINUX.includes(mode) ? mode : undefined
}

/** Each boolean once, whether its current value, its stored value, or both are wrong. */
function settableBooleans({ booleans = {} }: MacDesired, wrong: readonly Drift[]): readonly string[] {
  const names = wrong.filter(({ observed }) => observed !== null).map(({ path }) => path)
  return Object.entries(booleans).flatMap(([name, value]) => (names.includes(name) ? [`${name}=${value}`] : []))
}

function configWith(mode: string, config: SelinuxState['config']): string | Obstacle {
  if (config.kind === 'unknown') return cannot(config.detail)
  const { text } = config.value
  if (text === null) {
    return cannot(`${SELINUX_CONFIG} does not exist: install SELinux`, { mayComeWithRequirement: true })
  }
  const key = { section: '', key: 'SELINUX' }
  const place = { ...key, which: 'all', isSame: (found: { readonly key: string }) => found.key === 'SELINUX' } as const
  const edited = selinuxFormat.set(text, place, [mode])
  return edited.kind === 'refused' ? cannot(edited.reason) : edited.text
}

function whyNotNow(target: string): Obstacle {
  if (target === 'disabled') return cannot(pendingReboot('SELinux can only be disabled at boot'))
  return cannot(pendingReboot('SELinux can only be enabled at boot, after all files are relabelled'))
}

function whyNotPolicy({ policy }: MacDesired, { config }: SelinuxState): Obstacle {
  const isInstalled = config.kind === 'known' && config.value.hasPolicy
  const isNamed =
    config.kind === 'known' &&
    policy !== undefined &&
    isAccepted(TEXTS, acceptanceOf<string>(policy), nameOf(config.value))
  if (isNamed && !isInstalled) return cannot('install the package of the policy', { mayComeWithRequirement: true })
  return cannot(
    `another policy requires relabelling all files: set SELINUXTYPE in ${SELINUX_CONFIG} by hand, and relabel`,
  )
}

function planOf(action: SelinuxAction, obstacles: readonly Obstacle[]): Plan<SelinuxAction> {
  const { booleans, config, relabel, setenforce } = action
  const effects: readonly Effect[] = [
    ...(config === undefined ? [] : [{ kind: 'write', object: SELINUX_CONFIG } as const]),
    ...(relabel ? [{ kind: 'create', object: AUTORELABEL } as const] : []),
    ...(booleans.length === 0 ? [] : [{ kind: 'run', object: `setsebool -P ${booleans.join(' ')}` } as const]),
    ...(setenforce === undefined ? [] : [{ kind: 'run', object: `setenforce ${setenforce}` } as const]),
  ]
  const [first, ...others] = obstacles
  const act = { kind: 'act', action, text: 'Would have changed SELinux', effects, obstacles: [] } as const
  if (first === undefined) return act
  return effects.length === 0
    ? { kind: 'refuse', obstacles: [first, ...others] }
    : { ...act, leaves: [first, ...others] }
}
