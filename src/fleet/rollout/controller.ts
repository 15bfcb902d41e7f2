import type { Line } from '../../host/nats/line.ts'
import type { Key } from '../../host/signing/keys.ts'
import type { FleetHost } from '../census.ts'
import { isLastEntry, ROLLOUT_ACT, writeAudit } from '../nats/audit.ts'
import type { Login } from '../nats/connect.ts'
import { lastingLine } from '../nats/lasting-line.ts'
import { signingKey } from '../nats/forgeries.ts'
import type { Addressee } from '../nats/names.ts'
import { bringUp, storedRollout, type StoredRollout, storeRollout } from '../nats/rollouts.ts'
import type { Verdict } from './gate.ts'
import { type ObservedRollout, seeRollout } from './seen.ts'
import { type Changed, type Rollout, withEnd, withReleased } from './state.ts'

/** Observes the rollout of a fleet and, if allowed, releases the presigned assignments. */
export interface Controller {
  /** Last observed state; undefined without a rollout. */
  readonly seen: () => ObservedRollout | undefined
  /** Evaluates the rollout with these hosts and takes the next step. Throws an `OperatorError` if the server fails. */
  readonly look: (hosts: readonly FleetHost[], nowMs: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Interval after which released assignments are compared again, in milliseconds, in case they were overwritten. */
const COMPARED_MS = 300_000

/**
 * Creates a controller, which holds no key that hosts trust. Each step is an atomic change of the rollout that only one
 * of several controllers makes; its consequences are idempotent and repeated by all, so a controller can be killed at
 * any time.
 */
export function rolloutController(login: Login, does: 'looks' | 'releases'): Controller {
  const { open, close } = lastingLine(login)
  let seen: ObservedRollout | undefined
  let noted = 0
  let compared: { readonly sequence: number; readonly atMs: number; readonly later: readonly Addressee[] } | undefined

  async function bringUpTo(line: Line, rollout: Rollout, { sequence, nowMs }: Seen): Promise<readonly Addressee[]> {
    if (compared?.sequence === sequence && nowMs - compared.atMs < COMPARED_MS) return compared.later
    const later = await bringUp(line, rollout)
    compared = { sequence, atMs: nowMs, later }
    return later
  }

  return {
    seen: () => seen,
    async look(hosts, nowMs) {
      const line = await open()
      const { rollout, sequence } = await storedRollout(line)
      if (rollout === undefined || does === 'looks') {
        seen = rollout && seeRollout(rollout, hosts, { nowMs })
        return
      }
      const before = seeRollout(rollout, hosts, { nowMs })
      const now = await advance(line, { rollout, sequence }, before.verdict, nowMs)
      // An act is recorded before its release.
      if (noted !== now.sequence) await noteAct(line, signingKey(login), now)
      noted = now.sequence
      const later = await bringUpTo(line, now.rollout, { sequence: now.sequence, nowMs })
      seen = now.rollout === rollout ? { ...before, later } : seeRollout(now.rollout, hosts, { nowMs, later })
    },
    close,
  }
}

interface Seen {
  readonly sequence: number
  readonly nowMs: number
}

type Known = StoredRollout & { readonly rollout: Rollout }

/** Applies the gate's decision; returns the stored rollout, which another process may have changed first. */
async function advance(line: Line, known: Known, verdict: Verdict | undefined, nowMs: number): Promise<Known> {
  const changed = changeOf(known.rollout, verdict, new Date(nowMs).toISOString())
  if (changed === undefined || 'message' in changed) return known
  await storeRollout(line, changed.rollout, known.sequence)
  const { rollout = known.rollout, sequence } = await storedRollout(line)
  return { rollout, sequence }
}

const CONTROLLER = 'controller'

/**
 * Records the controller's last act once: the controller that took it may have been killed before. Entries with the
 * same id count once, and operators record their own acts.
 */
async function noteAct(line: Line, key: Key, { rollout, sequence }: Known): Promise<void> {
  const { by, what } = rollout.last
  const id = `${rollout.id}-${sequence}`
  if (by !== CONTROLLER || (await isLastEntry(line, ROLLOUT_ACT, id))) return
  await writeAudit(line, key, { act: ROLLOUT_ACT, author: CONTROLLER, about: rollout.id, text: what }, id)
}

function changeOf(rollout: Rollout, verdict: Verdict | undefined, at: string): Changed | undefined {
  switch (verdict?.kind) {
    case 'release':
      return withReleased(rollout, verdict.ring, { at, by: CONTROLLER, what: `released ring ${verdict.ring}` })
    case 'stop':
      return withEnd(rollout, 'stopped', { at, by: CONTROLLER, what: `stopped: ${verdict.reason}` })
    case 'done':
      return withEnd(rollout, 'done', { at, by: CONTROLLER, what: 'done: every ring has the policies' })
    case 'wait':
    case undefined:
      return undefined
  }
}
