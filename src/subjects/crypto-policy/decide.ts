import { type Acceptance, acceptedFor, isAccepted } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import type { DecidedDrift } from '../../model/drift.ts'
import { pendingReboot } from '../../model/notes.ts'
import type { Reading, Seen } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'

export interface CryptoPolicyDesired {
  readonly name: string
  readonly modules?: readonly string[] | Acceptance<readonly string[], string> | undefined
  /** Alternative accepted policies, with any modules that `modules` does not exclude. */
  readonly or?: readonly string[] | undefined
  readonly opt_outs: 'drift' | 'compliant'
  readonly fips?: boolean | undefined
  readonly if_absent: 'drift' | 'compliant'
}

/** Policy with its modules, such as `DEFAULT:NO-SHA1:NO-SSHCBC`. */
export interface PolicyName {
  readonly base: string
  readonly modules: readonly string[]
}

/** Back-end file that differs from the output of the policy. */
export interface StrayBackend {
  readonly path: string
  readonly why: string
  /** Its content; absent if unknown. */
  readonly text?: string
}

/** Service that does not follow the policy, and the line that opts out. */
export interface OptOut {
  readonly service: string
  readonly at: string
}

export interface CryptoPolicyState {
  /** Configured policy, which the next update applies. */
  readonly config: Reading<PolicyName>
  /** Policy that the last update applied. */
  readonly current: Reading<PolicyName>
  readonly strays: Reading<readonly StrayBackend[]>
  readonly optOuts: Reading<readonly OptOut[]>
  /** Whether the kernel runs in FIPS mode. */
  readonly fips: Reading<boolean>
}

/** Action of a fix: `update-crypto-policies --set`. */
export interface CryptoPolicyAction {
  readonly policy: string
}

/** Compares the configured policy, the applied policy and the back-end files with the desired policy. */
export function decideCryptoPolicy(
  wanted: CryptoPolicyDesired,
  observed: Seen<CryptoPolicyState>,
): Decision<CryptoPolicyAction> {
  if (observed.kind === 'absent') return decideAbsent(wanted)
  const { state } = observed
  const { drift, unknown } = mergeParts([
    comparePolicy('configured', wanted, state.config),
    comparePolicy('applied', wanted, state.current),
    compareStrays(state),
    compareOptOuts(wanted, state),
    compareFips(wanted, state),
  ])
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    plan: drift.length === 0 ? NO_PLAN : planFor(wanted, state, drift),
  }
}

function decideAbsent({ if_absent: ifAbsent }: CryptoPolicyDesired): Decision<CryptoPolicyAction> {
  const what = 'crypto-policies is not installed'
  if (ifAbsent === 'drift') {
    return missing({
      obstacles: [
        cannot(`${what}; if its absence is acceptable, set if_absent: compliant`, { mayComeWithRequirement: true }),
      ],
    })
  }
  return differences([], { ensure: { desired: 'present', observed: 'absent' }, messages: [what] })
}

export function writtenPolicy({ base, modules }: PolicyName): string {
  return [base, ...modules].join(':')
}

/** Later modules override earlier ones, but the order of modules that only forbid does not matter. */
function comparePolicy(property: string, wanted: CryptoPolicyDesired, policy: Reading<PolicyName>): PartialDecision {
  if (policy.kind === 'unknown') return undecided(property, policy)
  if (isRight(wanted, policy.value)) return AS_WANTED
  return drifted({ property, desired: sentenceOf(wanted), observed: writtenPolicy(policy.value) })
}

function isRight({ name, modules, or = [] }: CryptoPolicyDesired, policy: PolicyName): boolean {
  if (or.includes(policy.base)) return !policy.modules.some((each) => excludedBy(modules).includes(each))
  if (policy.base !== name) return false
  return modules === undefined || isAccepted(MODULES, modulesOf(modules), policy.modules)
}

const MODULES = {
  equals: (left: readonly string[], right: readonly string[]): boolean => left.join(':') === right.join(':'),
  include: (list: readonly string[], items: readonly string[]): readonly string[] => {
    const added = items.filter((item) => !list.includes(item))
    return added.length === 0 ? list : [...list, ...added]
  },
  exclude: (list: readonly string[], items: readonly string[]): readonly string[] => {
    const kept = list.filter((item) => !items.includes(item))
    return kept.length === list.length ? list : kept
  },
}

function modulesOf(modules: NonNullable<CryptoPolicyDesired['modules']>): Acceptance<readonly string[], string> {
  return acceptanceOf<readonly string[], string>(modules)
}

function excludedBy(modules: CryptoPolicyDesired['modules']): readonly string[] {
  return modules === undefined ? [] : (modulesOf(modules).excludes ?? [])
}

/**
 * Description of the desired policy: a list means exactly these modules in order; an acceptance is described for policy and
 * modules.
 */
function sentenceOf({ or = [], ...wanted }: CryptoPolicyDesired): string {
  const excluded = excludedBy(wanted.modules)
  const others = or.map((name) => (excluded.length === 0 ? name : `${name} without ${excluded.join(', ')}`))
  return [sentenceOfOne(wanted), ...others].join(' or ')
}

function sentenceOfOne({ name, modules }: Pick<CryptoPolicyDesired, 'name' | 'modules'>): string {
  if (modules === undefined) return name
  const accepted = modulesOf(modules)
  const words = [
    ...(accepted.is ?? []),
    ...(accepted.includes === undefined ? [] : [`with ${accepted.includes.join(', ')}`]),
    ...(accepted.excludes === undefined ? [] : [`without ${accepted.excludes.join(', ')}`]),
  ]
  return accepted.is === undefined ? [name, ...words].join(' ') : [name, ...words].join(':')
}

function compareStrays({ strays }: CryptoPolicyState): PartialDecision {
  if (strays.kind === 'unknown') return undecided('backends', strays)
  const [desired, observed] = ['generated by the policy', 'other content']
  return drifted(
    ...strays.value.map(({ path, why, text: whole = why }) => {
      return { property: 'backends', desired, observed, path, note: why, whole }
    }),
  )
}

function compareOptOuts({ opt_outs: accepted }: CryptoPolicyDesired, { optOuts }: CryptoPolicyState): PartialDecision {
  if (accepted === 'compliant') return AS_WANTED
  if (optOuts.kind === 'unknown') return undecided('opt_outs', optOuts)
  return drifted(
    ...optOuts.value.map(({ service, at }) => {
      return { property: 'opt_outs', desired: 'none', observed: 'own settings', path: service, note: at }
    }),
  )
}

function compareFips({ fips: wanted }: CryptoPolicyDesired, { fips }: CryptoPolicyState): PartialDecision {
  if (wanted === undefined) return AS_WANTED
  if (fips.kind === 'unknown') return undecided('fips', fips)
  return fips.value === wanted ? AS_WANTED : drifted({ property: 'fips', desired: wanted, observed: fips.value })
}

/** A compliant policy keeps its modules; setting it again rewrites every back-end file. */
function planFor(
  wanted: CryptoPolicyDesired,
  { config }: CryptoPolicyState,
  drift: readonly DecidedDrift[],
): Plan<CryptoPolicyAction> {
  const obstacles: Obstacle[] = [
    ...drift
      .filter(({ property }) => property === 'opt_outs')
      .map(({ path, note }) => cannot(`${path}: ${note}; remove it`)),
    ...(drift.some(({ property }) => property === 'fips') ? [OF_FIPS] : []),
  ]
  const [first, ...others] = obstacles
  const isToSet = drift.some(({ property }) => property !== 'opt_outs' && property !== 'fips')
  const isOther = config.kind === 'known' && wanted.or?.includes(config.value.base) === true
  const kept = config.kind === 'known' && config.value.base === wanted.name ? config.value.modules : []
  const modules = wanted.modules === undefined ? kept : acceptedFor(MODULES, modulesOf(wanted.modules), kept)
  if (!isToSet || modules === undefined) {
    const reason = first ?? cannot('cannot derive the modules from their condition: set "fix" to the modules to write')
    return { kind: 'refuse', obstacles: [reason, ...others] }
  }
  const left = (each: string): boolean => !excludedBy(wanted.modules).includes(each)
  const policy = writtenPolicy(
    isOther ? { ...config.value, modules: config.value.modules.filter(left) } : { base: wanted.name, modules },
  )
  const act = {
    kind: 'act',
    action: { policy },
    text: `Would have set the policy ${policy}`,
    effects: [{ kind: 'run', object: `update-crypto-policies --set ${policy}` }],
    obstacles: [],
  } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}

const OF_FIPS = cannot(pendingReboot('FIPS mode is set at installation or by fips-mode-setup'))
