import { basename } from 'node:path'
import { type Observation, present, type Seen } from '../../model/observation.ts'
import {
  type Authselect,
  authselectBy,
  AUTHSELECT_DIRECTORY,
  AUTHSELECT_STACKS,
  type Selection,
} from './stack/authselect.ts'
import type { PamView } from './stack/profiles.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { decidePam } from './decide.ts'
import type { FeatureOffer, PamAction, PamState, PamDesired } from './model.ts'
import { observeStack } from './observe.ts'
import { whyNobodyGetsIn } from './ways-in.ts'

/** The features that baselines require of a profile and that lock out no user who could log in before. */
const FEATURES = ['with-faillock', 'with-pwhistory', 'with-pwquality', 'without-nullok']

/** Adds the features of authselect(8) that would satisfy the resource, if file edits alone cannot. */
export async function withFeatures(
  machine: Pick<Target, 'probe' | 'run'> & HasFiles<'stat'>,
  wanted: PamDesired,
  seen: Extract<Seen<PamState>, { readonly kind: 'present' }>,
  signal: AbortSignal,
): Promise<Observation<PamState>> {
  const { state } = seen
  const isMade = [wanted.name, ...state.stack.entries.map(({ file }) => basename(file))].some(isMadeByAuthselect)
  const { plan } = decidePam(wanted, seen)
  const isLeft = plan.kind === 'refuse' || (plan.kind === 'act' && plan.leaves !== undefined)
  if (!isMade || !isLeft) return seen
  const authselect = authselectBy((command) => machine.run(command), signal)
  return present({ ...state, offer: await findOffer(authselect, wanted, machine) })
}

function isMadeByAuthselect(name: string): boolean {
  return AUTHSELECT_STACKS.some((stack) => stack === name)
}

async function findOffer(authselect: Authselect, wanted: PamDesired, machine: PamView): Promise<FeatureOffer> {
  const selected = await authselect.current()
  if (selected.kind === 'unknown') {
    const advice = 'if authselect is to manage the stacks, run authselect select with a profile'
    return { kind: 'refused', why: `${selected.detail}: ${advice}` }
  }
  const { profile, features: enabled } = selected.value
  const known = await authselect.features(profile)
  if (known.kind === 'unknown') return { kind: 'refused', why: known.detail }
  const open = FEATURES.filter((each) => known.value.includes(each) && !enabled.includes(each))
  for (const features of subsetsOf(open)) {
    const view = await authselect.view({ profile, features: [...enabled, ...features] }, machine)
    if (view.kind === 'unknown') return { kind: 'refused', why: view.detail }
    const files = whatIsLeft(view.value, wanted)
    if (files !== undefined) return { kind: 'enough', features, files }
  }
  return { kind: 'refused', why: profileToWrite(selected.value, open) }
}

/** The edits of module files that remain with the stacks of the view; undefined if other problems remain. */
function whatIsLeft(view: PamView, wanted: PamDesired): PamAction['files'] | undefined {
  const observed = observeStack(view, wanted)
  if (observed.kind === 'unknown' || whyNobodyGetsIn(view) !== undefined) return undefined
  const { drift, unknown, plan } = decidePam(wanted, observed)
  if (unknown.length > 0) return undefined
  if (drift.length === 0) return []
  return plan.kind === 'act' && plan.leaves === undefined ? plan.action.files : undefined
}

/** All non-empty subsets, the smallest first. */
function subsetsOf(items: readonly string[]): readonly (readonly string[])[] {
  const all = items.reduce<readonly (readonly string[])[]>(
    (subsets, item) => [...subsets, ...subsets.map((each) => [...each, item])],
    [[]],
  )
  return all.slice(1).toSorted((left, right) => left.length - right.length)
}

function profileToWrite({ profile, features }: Selection, tried: readonly string[]): string {
  const none = tried.length === 0 ? 'has no other feature for it' : `does not meet it with ${tried.join(', ')} either`
  if (profile.startsWith('custom/')) {
    const directory = `${AUTHSELECT_DIRECTORY}/${profile}`
    return `the profile ${profile} ${none}: change the stacks in ${directory} and run authselect apply-changes`
  }
  const create = `authselect create-profile NAME -b ${profile} --symlink-meta`
  const select = ['authselect select custom/NAME', ...features].join(' ')
  return `the profile ${profile} ${none}: ${create}, change the stacks in ${AUTHSELECT_DIRECTORY}/custom/NAME, then ${select}`
}
