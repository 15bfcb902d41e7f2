import { membersOf } from '../../model/members-of.ts'
import type { Run } from '../../model/run.ts'
import { EXIT } from '../../model/gate.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { isCount, isText, isTime, readSender, type SenderNote } from './sender.ts'
import { waiversSha256 } from './state.ts'

/** Schema of heartbeats. */
export const BEAT_SCHEMA = 'driftgate.beat/v1'

/** Heartbeat: a run found the same as another run on the server. */
export interface Beat {
  readonly schema: typeof BEAT_SCHEMA
  readonly run: Run['run']
  readonly summary: Run['summary']
  readonly exitCode: number
  /** Run on the server with the same state digest. */
  readonly same: SameState
  readonly policies: readonly BeatPolicy[]
  readonly waiversSha256: string
  readonly sender: SenderNote
}

/** A run with the SHA-256 of its state. */
export interface SameState {
  readonly run: string
  readonly sha256: string
}

/** A completely evaluated policy. */
export interface BeatPolicy {
  readonly id: string
  readonly sha256: string
}

/** Creates the heartbeat of a run. */
export function beatOf(run: Run, same: SameState, sender: SenderNote): Beat {
  return {
    schema: BEAT_SCHEMA,
    run: run.run,
    summary: run.summary,
    exitCode: run.exit.code,
    same,
    policies: run.policies.map(({ id, sha256 }) => ({ id, sha256 })),
    waiversSha256: waiversSha256(run),
    sender,
  }
}

/** True if a heartbeat may replace a run: a complete audit without changes. */
export function mayBeBeat({ run, exit, policies }: Run): boolean {
  const isWhole = policies.every(({ skipped }) => skipped === undefined)
  return run.mode === 'audit' && !run.interrupted && exit.code !== EXIT.notPerformed && isWhole && policies.length > 0
}

/** Parses a heartbeat; undefined if invalid. */
export function readBeat(value: unknown): Beat | undefined {
  const { schema, run, summary, exitCode, same, policies, ...rest } = membersOf<keyof Beat>(value)
  const sender = readSender(rest.sender)
  if (schema !== BEAT_SCHEMA || sender === undefined || !isCount(exitCode) || !isSha256(rest.waiversSha256))
    return undefined
  if (!isRunTimes(run) || !isSameState(same) || !isSummary(summary)) return undefined
  if (!Array.isArray(policies) || !policies.every(isBeatPolicy)) return undefined
  return { schema, run, summary, exitCode, same, policies, waiversSha256: rest.waiversSha256, sender }
}

function isRunTimes(value: unknown): value is Run['run'] {
  const { id, mode, startedAt, finishedAt } = membersOf<keyof Run['run']>(value)
  return isText(id) && mode === 'audit' && isTime(startedAt) && isTime(finishedAt)
}

function isSameState(value: unknown): value is SameState {
  const { run, sha256 } = membersOf<keyof SameState>(value)
  return isText(run) && isSha256(sha256)
}

function isSummary(value: unknown): value is Run['summary'] {
  return typeof value === 'object' && value !== null && Object.values(value).every(isCount)
}

function isBeatPolicy(value: unknown): value is BeatPolicy {
  const { id, sha256 } = membersOf<keyof BeatPolicy>(value)
  return typeof id === 'string' && typeof sha256 === 'string'
}
