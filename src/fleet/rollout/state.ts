import { parseDuration } from '../../model/duration.ts'
import type { Addressee } from '../nats/names.ts'
import { type Limits, parseLimits } from './conditions.ts'

/**
 * How far a rollout is:
 *
 * - `running`: rings get the policies one after the other;
 * - `paused`: an operator has said that no further ring gets them;
 * - `stopped`: too many hosts of a ring were in trouble;
 * - `back`: the rings that had got them were given what they had before;
 * - `done`: every ring has them.
 */
export const PHASES = ['running', 'paused', 'stopped', 'back', 'done'] as const

/** One of them. */
export type Phase = (typeof PHASES)[number]

/** A policy as it is rolled out. */
export interface RolledPolicy {
  readonly name: string
  /** The digest of its bundle. */
  readonly sha256: string
  /** The digest of its manifest, which reports have. */
  readonly text: string
}

/** Whom a ring is reached by, and what was signed for it. */
export interface Target {
  readonly to: Addressee
  /** The digests of the manifests that it had before; none where it had no policy. */
  readonly before: readonly string[]
  /** Whether there is something signed to go back to. */
  readonly hasBack: boolean
}

/** A ring of a rollout. */
export interface RolloutRing {
  readonly name: string
  readonly targets: readonly Target[]
  /** When it got the policies, in ISO 8601; absent where it has not. */
  readonly releasedAt?: string
}

/** A rollout as the server has it. What it lets hosts run is signed apart; this only says how far it is. */
export interface Rollout {
  readonly schema: typeof ROLLOUT_SCHEMA
  readonly id: string
  readonly policies: readonly RolledPolicy[]
  readonly reason: string
  readonly author: string
  readonly startedAt: string
  /** How long a ring runs with them before the next one gets them, `2h`. */
  readonly soak: string
  /** What stops it, `error>0.5% or silent>1%`. */
  readonly stop: string
  /** The version that is signed for every address; going back has the next one. */
  readonly version: number
  readonly rings: readonly RolloutRing[]
  readonly phase: Phase
  /** What was done last, by whom and why. */
  readonly last: Act
}

/** What an operator did, or the controller. */
export interface Act {
  readonly at: string
  readonly by: string
  readonly what: string
}

/** The name and version of its document. */
export const ROLLOUT_SCHEMA = 'driftgate.rollout/v1'

/** A rollout that begins. */
export function newRollout(plan: Omit<Rollout, 'schema' | 'phase' | 'last' | 'startedAt'>, at: string): Rollout {
  const last = { at, by: plan.author, what: `started: ${plan.reason}` }
  return { schema: ROLLOUT_SCHEMA, ...plan, startedAt: at, phase: 'running', last }
}

/** What a rollout becomes, or why that cannot be. */
export type Changed = { readonly rollout: Rollout } | { readonly message: string }

/** Gives a ring the policies. */
export function withReleased(rollout: Rollout, ring: string, act: Act): Changed {
  if (rollout.phase !== 'running') return { message: `the rollout is ${PHASE_WORDS[rollout.phase]}` }
  const rings = rollout.rings.map((each) => (each.name === ring ? { releasedAt: act.at, ...each } : each))
  return { rollout: { ...rollout, rings, last: act } }
}

/** Ends in the phase that the gate says. */
export function withEnd(rollout: Rollout, phase: 'stopped' | 'done', act: Act): Changed {
  if (rollout.phase !== 'running') return { message: `the rollout is ${PHASE_WORDS[rollout.phase]}` }
  return { rollout: { ...rollout, phase, last: act } }
}

/** What an operator can have done with it. */
export const WISHES = ['pause', 'resume', 'back', 'finish'] as const

/** One of that. */
export type Wish = (typeof WISHES)[number]

/** Does what an operator wishes. */
export function withWish(rollout: Rollout, wish: Wish, act: Act): Changed {
  const { phase, rings } = rollout
  if (!ALLOWED[wish].includes(phase))
    return { message: `the rollout is ${PHASE_WORDS[phase]}, so it cannot ${WISH_WORDS[wish]}` }
  switch (wish) {
    case 'pause':
      return { rollout: { ...rollout, phase: 'paused', last: act } }
    case 'resume':
      return { rollout: { ...rollout, phase: 'running', last: act } }
    case 'back': {
      const without = releasedTargets(rollout).filter(({ hasBack }) => !hasBack)
      if (without.length > 0)
        return {
          message: `${without.map(({ to }) => to).join(', ')} had no policies before: assign others with "driftgate fleet assign"`,
        }
      return { rollout: { ...rollout, phase: 'back', last: act } }
    }
    case 'finish': {
      const all = rings.map((ring) => ({ releasedAt: act.at, ...ring }))
      return { rollout: { ...rollout, rings: all, phase: 'done', last: act } }
    }
  }
}

const ALLOWED: Readonly<Record<Wish, readonly Phase[]>> = {
  pause: ['running'],
  resume: ['paused', 'stopped'],
  back: ['running', 'paused', 'stopped', 'done'],
  finish: ['running', 'paused', 'stopped'],
}

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  running: 'under way',
  paused: 'paused',
  stopped: 'stopped',
  back: 'taken back',
  done: 'done',
}

const WISH_WORDS: Readonly<Record<Wish, string>> = {
  pause: 'be paused',
  resume: 'go on',
  back: 'go back',
  finish: 'be finished',
}

/** Whether another rollout may begin: one that was stopped must be taken back or finished first, so that all hosts of a ring have the same. */
export function isOver({ phase }: Pick<Rollout, 'phase'>): boolean {
  return phase === 'back' || phase === 'done'
}

/** Which of its signed assignments an address is to have now; undefined for one that keeps what it has. */
export function directionOf({ phase }: Pick<Rollout, 'phase'>, { releasedAt }: RolloutRing): 'go' | 'back' | undefined {
  if (releasedAt === undefined) return undefined
  return phase === 'back' ? 'back' : 'go'
}

function releasedTargets({ rings }: Rollout): readonly Target[] {
  return rings.filter(({ releasedAt }) => releasedAt !== undefined).flatMap(({ targets }) => targets)
}

/** How long a ring runs before the next one gets the policies, in milliseconds, and what stops it. */
export function rulesOf({ soak, stop }: Pick<Rollout, 'soak' | 'stop'>): {
  readonly soakMs: number
  readonly limits: Limits
} {
  const limits = parseLimits('stop', stop)
  const soakMs = parseDuration(soak)
  if (!limits.ok || soakMs === undefined) throw new Error('a rollout without rules would stop for nothing')
  return { soakMs, limits: limits.value }
}
