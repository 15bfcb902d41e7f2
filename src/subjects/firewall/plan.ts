import { countOf } from '../../model/count-of.ts'
import { NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import { baseChainFor, withIptablesRules, withNftRules, withUfwRules } from './rules/added.ts'
import { withFirewalldRules } from './rules/firewalld/added.ts'
import { FIREWALLD_TABLE } from './rules/firewalld/rules.ts'
import { reachable } from './rules/kept.ts'
import { chainName, type Ruleset } from './rules/ruleset.ts'
import type { ChangedHalves, FirewallChange, FirewallManager } from './firewall.ts'
import { addedFor } from './added-for.ts'
import { compareHook, type FirewallState, questionsOf, type Scene } from './compare.ts'
import { compareDoors } from './doors.ts'
import { problemWith, type Guarantee } from './guarantee.ts'
import { type FirewallDesired, hookOf, wantsStored } from './wanted.ts'

/** What a fix does, and what has to hold of the rules that it makes. */
export interface FirewallAction {
  readonly change: FirewallChange
  readonly guarantee: Guarantee
}

const BY_HAND: Readonly<Record<string, string>> = {
  manager: 'change it by hand, with a session open: the change replaces all rules',
  enabled: 'change it by hand, with a session open: the change replaces all rules',
  tables: 'add the table with the firewall manager: a fix adds only chains and rules',
}
const OPEN =
  'stop the service, bind it to loopback, add a rule that drops its traffic, or list the port under "allowed"'

/** Adds rules through the one manager that is enabled, where it is proved before that no client is cut off that has to get in. */
export function planFor(wanted: FirewallDesired, state: FirewallState, drift: readonly Drift[]): Plan<FirewallAction> {
  const others = [...new Set(drift.flatMap(({ property }) => BY_HAND[property] ?? []))].map((each) => cannot(each))
  const ofRules = drift.filter(({ property }) => BY_HAND[property] === undefined)
  const found = ofRules.length === 0 ? undefined : attempt(wanted, state, ofRules)
  const leaves = [...(found === undefined ? [] : 'reason' in found ? [found] : found.leaves), ...others]
  const [first, ...more] = leaves
  if (found === undefined || 'reason' in found) {
    return first === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [first, ...more] }
  }
  const { action } = found
  const act = { kind: 'act', action, ...wordsFor(action.change), obstacles: [] } as const
  return first === undefined ? act : { ...act, leaves: [first, ...more] }
}

interface Attempt {
  readonly action: FirewallAction
  readonly leaves: readonly Obstacle[]
}

function attempt(wanted: FirewallDesired, state: FirewallState, drift: readonly Drift[]): Attempt | Obstacle {
  const { scene, kept } = state
  const hook = hookOf(wanted)
  if (hook === undefined) throw new Error('no packet requirements without a hook')
  if (scene.kind === 'unknown') return cannot(`a fix needs the running ruleset: ${scene.detail}`)
  if (kept.kind === 'unknown')
    return cannot(`the listening ports are unknown, so a fix could block them: ${kept.detail}`)
  const manager = managerOf(state)
  if (typeof manager !== 'string') return manager
  const stored = wantsStored(wanted) && state.stored.kind === 'known' ? state.stored.value : undefined
  if (manager === 'firewalld' && (hook !== 'input' || stored === undefined)) return cannot(FIREWALLD)
  const open = reachable(questionsOf({ family: 'both' }, scene.value), kept.value)
  const added = addedFor({ wanted, hook, drift, kept: open, families: familiesOf(wanted, scene.value) })
  if ('reason' in added) return added
  const now = scene.value
  const guarantee: Guarantee = { scene: now, kept: added.kept }
  const halves = halvesFor({ manager, wanted, stored, listeners: state.listeners, drift, guarantee })
  const place = baseChainFor([...(stored === undefined ? [] : [stored]), now.ruleset], hook)
  const change: FirewallChange = { manager, added: added.rules, place, halves }
  const later = halves.stored && stored !== undefined ? withRules(stored, change) : stored
  const after =
    halves.inForce === 'reloaded' && later ? loadedRuleset(now.ruleset, later, manager) : withRules(now.ruleset, change)
  const candidates = [
    ...(halves.inForce === 'kept' ? [] : [after]),
    ...(halves.stored && later !== undefined ? [later] : []),
  ]
  for (const candidate of candidates) {
    const problem = problemWith(wanted, guarantee, candidate)
    if (problem !== undefined) return cannot(problem)
  }
  return toAttempt(wanted, state, { drift, after, action: { change, guarantee } })
}

const FIREWALLD =
  'change the zone with firewall-cmd --permanent and firewall-cmd --reload, with a session open: a fix changes zones for "input" only, and only if it can read the stored zones'

/** What is in force once a manager has loaded what is stored: firewalld replaces its own tables alone. */
function loadedRuleset({ tables, chains }: Ruleset, stored: Ruleset, manager: FirewallManager): Ruleset {
  if (manager !== 'firewalld') return stored
  return { tables, chains: [...chains.filter(({ table }) => table !== FIREWALLD_TABLE), ...stored.chains] }
}

function managerOf({ managers: { enabled } }: FirewallState): FirewallManager | Obstacle {
  if (enabled.kind === 'unknown') return cannot(`the service that stores the rules is unknown: ${enabled.detail}`)
  const [manager, ...others] = enabled.value
  if (manager === undefined) {
    return cannot(
      'no firewall manager is enabled to load rules at boot: first enable one of nftables, ufw, firewalld and iptables (netfilter-persistent)',
      { mayComeWithRequirement: true },
    )
  }
  if (others.length === 0) return manager
  const names = enabled.value.join(' and ')
  return cannot(`${names} load rules at boot: first disable all but one`, {
    mayComeWithRequirement: true,
  })
}

function familiesOf(wanted: FirewallDesired, scene: Scene): ReturnType<typeof questionsOf>[number]['family'][] {
  return questionsOf(wanted, scene).map(({ family }) => family)
}

interface Halves {
  readonly manager: FirewallManager
  readonly wanted: FirewallDesired
  readonly stored: Ruleset | undefined
  readonly listeners: FirewallState['listeners']
  readonly drift: readonly Drift[]
  readonly guarantee: Guarantee
}

/** What is stored and right is loaded again, unless that would take away what others have added since; of firewalld always. */
function halvesFor({ manager, wanted, stored, listeners, drift, guarantee }: Halves): ChangedHalves {
  const now = guarantee.scene
  const isWrongNow = drift.some(({ property }) => property !== 'stored')
  const questions = stored === undefined ? [] : questionsOf(wanted, { ...now, ruleset: stored })
  const isStoredWrong =
    questions.some((each) => compareHook(wanted, each).drift.length > 0) ||
    compareDoors(wanted, listeners, questions).drift.length > 0
  const isReloadable =
    manager === 'firewalld' ||
    (stored !== undefined &&
      !isStoredWrong &&
      isWithin(now.ruleset, stored) &&
      problemWith(wanted, guarantee, stored) === undefined)
  return { inForce: isWrongNow ? (isReloadable ? 'reloaded' : 'added') : 'kept', stored: isStoredWrong }
}

/** Whether all chains with rules are also in the others. */
function isWithin(ruleset: Ruleset, others: Ruleset): boolean {
  const names = new Set(others.chains.map(chainName))
  return ruleset.chains.every((chain) => chain.rules.length === 0 || names.has(chainName(chain)))
}

function withRules(ruleset: Ruleset, { manager, added, place }: FirewallChange): Ruleset {
  switch (manager) {
    case 'firewalld':
      return withFirewalldRules(ruleset, added)
    case 'ufw':
      return withUfwRules(ruleset, added)
    case 'iptables':
      return withIptablesRules(ruleset, added, ruleset.tables.some((each) => / legacy /.test(each)) ? 'legacy ' : '')
    default:
      return withNftRules(ruleset, added, place)
  }
}

interface CompletedChange {
  readonly drift: readonly Drift[]
  readonly after: Ruleset
  readonly action: FirewallAction
}

/** Ports that a rule opens stay open: it may be intended. */
function toAttempt(
  wanted: FirewallDesired,
  { listeners }: FirewallState,
  { drift, after, action }: CompletedChange,
): Attempt | Obstacle {
  const questions = questionsOf(wanted, { ...action.guarantee.scene, ruleset: after })
  const open = compareDoors(wanted, listeners, questions).drift.length > 0
  const isAllOpen = drift.every(({ property }) => property === 'allowed')
  const { first, last, closes } = action.change.added
  const doesNothing = first.length + last.length === 0 && !closes && action.change.halves.inForce === 'added'
  if (open && isAllOpen && doesNothing) return cannot(OPEN)
  return { action, leaves: open ? [cannot(OPEN)] : [] }
}

function wordsFor({
  manager,
  added,
  halves,
}: FirewallChange): Pick<Extract<Plan<FirewallAction>, { kind: 'act' }>, 'text' | 'effects'> {
  const { first, last, closes } = added
  const rules = `${countOf(first.length + last.length, 'rule')}${closes ? ' and the policy drop' : ''}`
  const risk = '(disruptive, and a risk to connections)'
  if (halves.inForce === 'reloaded') {
    return {
      text: `Would have reloaded the rules of ${manager} ${risk}`,
      effects: [{ kind: 'replace', object: `the running ruleset with the stored one of ${manager} ${risk}` }],
    }
  }
  const where = halves.inForce === 'kept' ? 'the stored ruleset' : 'the firewall'
  return {
    text: `Would have added ${rules} to ${where} through ${manager} ${risk}`,
    effects: [{ kind: 'write', object: `${rules} to ${where} through ${manager} ${risk}` }],
  }
}
