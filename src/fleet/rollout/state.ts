import { parseDuration } from '../../model/duration.ts'
import type { Addressee } from '../nats/names.ts'
import { type Limits, parseLimits } from './conditions.ts'

/**
 * Phase of a rollout:
 *
 * - `running`: the rings are released one after the other;
 * - `paused`: an operator has stopped further releases;
 * - `stopped`: too many hosts of a ring were in trouble;
 * - `back`: the released rings were rolled back;
 * - `done`: every ring is released.
 */
export const PHASES = ['running', 'paused', 'stopped', 'back', 'done'] as const

export type Phase = (typeof PHASES)[number]

/** A policy in a rollout. */
export interface RolledPolicy {
  readonly name: string
  /** Digest of its bundle. */
  readonly sha256: string
  /** Digest of its manifest, as in reports. */
  readonly text: string
}

/** An addressee of a ring, with its signed assignments. */
export interface Target {
  readonly to: Addressee
  /** Digests of the previous manifests; empty if it had no policy. */
  readonly before: readonly string[]
  /** True if a signed assignment for the rollback exists. */
  readonly hasBack: boolean
}

export interface RolloutRing {
  readonly name: string
  readonly targets: readonly Target[]
  /** Release time in ISO 8601; absent if not released. */
  readonly releasedAt?: string
}

/** A rollout as stored on the server: its progress only. The assignments of hosts are signed separately. */
export interface Rollout {
  readonly schema: typeof ROLLOUT_SCHEMA
  readonly id: string
  readonly policies: readonly RolledPolicy[]
  readonly reason: string
  readonly author: string
  readonly startedAt: string
  /** Time that a ring runs before the next one is released, `2h`. */
  readonly soak: string
  /** Stop condition, `error>0.5% or silent>1%`. */
  readonly stop: string
  /** Version of the signed assignments of all addressees; the rollback has the next version. */
  readonly version: number
  readonly rings: readonly RolloutRing[]
  readonly phase: Phase
  /** Last action, with actor and reason. */
  readonly last: Act
}

/** An action of an operator or of the controller. */
export interface Act {
  readonly at: string
  readonly by: string
  readonly what: string
}

export const ROLLOUT_SCHEMA = 'driftgate.rollout/v1'

/** Creates a running rollout. */
export function newRollout(plan: Omit<Rollout, 'schema' | 'phase' | 'last' | 'startedAt'>, at: string): Rollout {
  const last = { at, by: plan.author, what: `started: ${plan.reason}` }
  return { schema: ROLLOUT_SCHEMA, ...plan, startedAt: at, phase: 'running', last }
}

/** The changed rollout, or the reason why the change is not allowed. */
export type Changed = { readonly rollout: Rollout } | { readonly message: string }

/** Releases the policies to a ring. */
export function withReleased(rollout: Rollout, ring: string, act: Act): Changed {
  if (rollout.phase !== 'running') return { message: `the rollout is ${PHASE_WORDS[rollout.phase]}` }
  const rings = rollout.rings.map((each) => (each.name === ring ? { releasedAt: act.at, ...each } : each))
  return { rollout: { ...rollout, rings, last: act } }
}

/** Ends the rollout in the phase that the gate decided. */
export function withEnd(rollout: Rollout, phase: 'stopped' | 'done', act: Act): Changed {
  if (rollout.phase !== 'running') return { message: `the rollout is ${PHASE_WORDS[rollout.phase]}` }
  return { rollout: { ...rollout, phase, last: act } }
}

/** Requests of an operator. */
export const WISHES = ['pause', 'resume', 'back', 'finish'] as const

export type Wish = (typeof WISHES)[number]

/** Applies a request of an operator. */
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

export const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  running: 'in progress',
  paused: 'paused',
  stopped: 'stopped',
  back: 'rolled back',
  done: 'done',
}

const WISH_WORDS: Readonly<Record<Wish, string>> = {
  pause: 'be paused',
  resume: 'be resumed',
  back: 'be rolled back',
  finish: 'be finished',
}

/**
 * True if another rollout may begin. A stopped rollout must be rolled back or finished first, so that all hosts of a
 * ring run the same policies.
 */
export function isOver({ phase }: Pick<Rollout, 'phase'>): boolean {
  return phase === 'back' || phase === 'done'
}

/** Selects the signed assignment for an addressee; undefined if it keeps the current one. */
export function directionOf({ phase }: Pick<Rollout, 'phase'>, { releasedAt }: RolloutRing): 'go' | 'back' | undefined {
  if (releasedAt === undefined) return undefined
  return phase === 'back' ? 'back' : 'go'
}

function releasedTargets({ rings }: Rollout): readonly Target[] {
  return rings.filter(({ releasedAt }) => releasedAt !== undefined).flatMap(({ targets }) => targets)
}

/** Soak time in milliseconds and the stop limits. */
export function rulesOf({ soak, stop }: Pick<Rollout, 'soak' | 'stop'>): {
  readonly soakMs: number
  readonly limits: Limits
} {
  const limits = parseLimits('stop', stop)
  const soakMs = parseDuration(soak)
  if (!limits.ok || soakMs === undefined) throw new Error('a rollout without rules would stop for nothing')
  return { soakMs, limits: limits.value }
}
