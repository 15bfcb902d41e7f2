import { compileGlob } from '../../model/go-glob.ts'
import { defined } from '../../model/defined.ts'
import type { Drift } from '../../model/drift.ts'
import type { Reading } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { defaultAnswer } from './rules/default-answer.ts'
import type { KeptPort } from './rules/kept.ts'
import { loopbackAnswer, spoofedLoopbackAnswer } from './rules/loopback-answers.ts'
import type { AddressFamily } from './rules/packets.ts'
import type { Answer, FilterHook, Question, Surroundings } from './rules/question.ts'
import type { Ruleset } from './rules/ruleset.ts'
import { compareDoors } from './doors.ts'
import type { ManagersObserved } from './managers.ts'
import { comparesStored, type FirewallDesired, hookOf, type Listener, unclearRuleset } from './wanted.ts'

/** Rules and address families of a target. */
export interface Scene {
  readonly ruleset: Ruleset
  readonly machine: Surroundings
  readonly families: readonly AddressFamily[]
}

export interface FirewallState {
  readonly scene: Reading<Scene>
  /** The rules loaded at boot. */
  readonly stored: Reading<Ruleset>
  readonly managers: ManagersObserved
  /** Listeners that the policy does not allow. */
  readonly listeners: Reading<readonly Listener[]>
  /** Ports with remote access that a fix must keep open. */
  readonly kept: Reading<readonly KeptPort[]>
}

const OF_RULES = ['default', 'loopback', 'spoofed_loopback', 'base_chain', 'tables', 'allowed'] as const

/** Compares the rules in force and the rules loaded at boot. */
export function compareRules(wanted: FirewallDesired, state: FirewallState): PartialDecision {
  const { scene } = state
  const asked = OF_RULES.filter((property) => wanted[property] !== undefined)
  if (scene.kind === 'unknown') {
    const inForce = asked.map((property) => undecided(property, scene))
    return mergeParts([...inForce, ...compareStored(wanted, state.stored, questionsOf(wanted, AT_REST))])
  }
  const { ruleset } = scene.value
  const questions = questionsOf(wanted, scene.value)
  return mergeParts([
    ...questions.map((question) => compareHook(wanted, question)),
    ...compareStored(wanted, state.stored, questions),
    compareTables(wanted, ruleset),
    compareDoors(wanted, state.listeners, questions),
  ])
}

/** Scene if the rules in force are not visible: any interface and address, both families. */
const AT_REST: Scene = {
  ruleset: { tables: [], chains: [] },
  machine: { interfaces: [], addresses: undefined },
  families: ['ip', 'ip6'],
}

/** The same rules for each requested address family of the kernel. */
export function questionsOf(
  { family: meant }: Pick<FirewallDesired, 'family'>,
  { ruleset, machine, families }: Scene,
): readonly Question[] {
  return families
    .filter((family) => meant === 'both' || meant === family)
    .map((family) => ({ ruleset, family, machine }))
}

/** Compares the rules for one address family. */
export function compareHook(wanted: FirewallDesired, question: Question): PartialDecision {
  const hook = hookOf(wanted)
  if (hook === undefined) return AS_WANTED
  const { family, ruleset } = question
  const hasBase = ruleset.chains.some(
    ({ base, family: own }) => base?.hook === hook && base.type === 'filter' && (own === family || own === 'inet'),
  )
  const baseDrift = drifted({ property: 'base_chain', desired: 'present', observed: 'absent', path: family })
  return mergeParts([
    wanted.base_chain === undefined || hasBase ? AS_WANTED : baseDrift,
    ...answersOf(wanted, hook, question).map(({ property, desired, answer }) =>
      toPart({ property, desired, path: family }, family, answer),
    ),
  ])
}

interface PolicyQuestion {
  readonly property: 'default' | 'loopback' | 'spoofed_loopback'
  readonly desired: 'accept' | 'drop'
  readonly answer: Answer
}

/** Evaluates the packets that a policy asks about. */
function answersOf(wanted: FirewallDesired, hook: FilterHook, question: Question): readonly PolicyQuestion[] {
  const { trusted_interfaces: trusted = [] } = wanted
  const asked: PolicyQuestion[] = []
  if (wanted.default !== undefined) {
    asked.push({ property: 'default', desired: 'drop', answer: defaultAnswer(question, hook, trusted) })
  }
  if (wanted.loopback !== undefined && hook !== 'forward') {
    asked.push({ property: 'loopback', desired: 'accept', answer: loopbackAnswer(question, hook) })
  }
  if (wanted.spoofed_loopback !== undefined) {
    asked.push({ property: 'spoofed_loopback', desired: 'drop', answer: spoofedLoopbackAnswer(question) })
  }
  return asked
}

/** Compares the rules loaded at boot. */
function compareStored(
  wanted: FirewallDesired,
  stored: Reading<Ruleset>,
  questions: readonly Question[],
): readonly PartialDecision[] {
  const hook = hookOf(wanted)
  if (hook === undefined || !comparesStored(wanted)) return []
  if (stored.kind === 'unknown') return [undecided('stored', stored)]
  return questions.flatMap(({ family, machine }) =>
    answersOf(wanted, hook, { ruleset: stored.value, family, machine }).map(({ property, desired, answer }) =>
      toPart({ property: 'stored', desired, path: `${property} ${family}` }, family, answer),
    ),
  )
}

function toPart(
  { property, desired, path }: Pick<Drift, 'property' | 'desired' | 'path'>,
  family: AddressFamily,
  answer: Answer,
): PartialDecision {
  switch (answer.kind) {
    case 'unclear':
      return undecided(property, unclearRuleset(family, answer.by))
    case 'accept':
    case 'drop': {
      if (answer.kind === desired) return AS_WANTED
      const verb = answer.kind === 'accept' ? 'accepted' : 'dropped'
      const at = answer.kind === 'accept' && answer.at !== undefined ? ` at ${answer.at}` : ''
      const note = `${verb}${at} by ${answer.by}`
      return drifted({ property, desired, observed: answer.kind, ...defined({ path }), note })
    }
  }
}

function compareTables({ tables = [] }: FirewallDesired, ruleset: Ruleset): PartialDecision {
  const missing = tables.filter((table) => !ruleset.tables.some(compileGlob(table) ?? ((each) => each === table)))
  return drifted(
    ...missing.map((table) => ({ property: 'tables', desired: 'present', observed: 'absent', path: table })),
  )
}
