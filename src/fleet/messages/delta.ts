import { membersOf } from '../../model/members-of.ts'
import type { PolicyResult, Run } from '../../model/run.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { isCount, isText, readSender, type SenderNote } from './sender.ts'
import type { ComparedPolicy, RunState } from './state.ts'

/** Schema of delta messages. */
export const DELTA_SCHEMA = 'driftgate.delta/v1'

/**
 * A run as its difference from a full report on the server. It refers to that report only, so a lost delta does not
 * affect others.
 */
export interface Delta {
  readonly schema: typeof DELTA_SCHEMA
  /** Id of the base run. */
  readonly base: string
  /** SHA-256 of the resulting state. */
  readonly sha256: string
  readonly tool: Run['tool']
  readonly run: Run['run']
  readonly summary: Run['summary']
  readonly exit: Run['exit']
  readonly policies: readonly DeltaPolicy[]
  readonly sender: SenderNote
}

/** A policy of a delta, with its results in order. */
export interface DeltaPolicy {
  readonly id: string
  readonly sha256: string
  readonly skipped?: number
  readonly resources: readonly Piece<PolicyResult['resources'][number]>[]
  readonly controls: readonly Piece<PolicyResult['controls'][number]>[]
}

/** A range of results of the base, or a new result. */
export type Piece<Result> = readonly [from: number, count: number] | Result

export interface Stated {
  readonly run: Run
  readonly state: RunState
}

/** Computes a delta; undefined if the runs have different policies or are merged from several runs. */
export function deltaOf(base: Stated, { run, state }: Stated, sender: SenderNote): Delta | undefined {
  if (run.policies.length !== base.run.policies.length) return undefined
  const policies: DeltaPolicy[] = []
  for (const [index, policy] of run.policies.entries()) {
    const [before, texts, textsBefore] = [base.run.policies[index], state.policies[index], base.state.policies[index]]
    if (before === undefined || texts === undefined || textsBefore === undefined) return undefined
    if (!isSamePolicy(before, policy)) return undefined
    policies.push(policyDelta(policy, texts, textsBefore))
  }
  const { tool, summary, exit } = run
  return {
    schema: DELTA_SCHEMA,
    base: base.run.run.id,
    sha256: state.sha256,
    tool,
    run: run.run,
    summary,
    exit,
    policies,
    sender,
  }
}

function isSamePolicy(before: PolicyResult, after: PolicyResult): boolean {
  const isOfOneRun = before.origin === undefined && after.origin === undefined
  return isOfOneRun && before.id === after.id && before.sha256 === after.sha256 && before.target === after.target
}

function policyDelta(policy: PolicyResult, now: ComparedPolicy, before: ComparedPolicy): DeltaPolicy {
  const { id, sha256, skipped, resources, controls } = policy
  return {
    id,
    sha256,
    ...(skipped === undefined ? {} : { skipped }),
    resources: piecesOf(resources, now.resources, before.resources),
    controls: piecesOf(controls, now.controls, before.controls),
  }
}

/** Takes base results in their order only, so that applying a delta never yields more than both together. */
function piecesOf<Result>(
  results: readonly Result[],
  texts: readonly string[],
  before: readonly string[],
): readonly Piece<Result>[] {
  const places = new Map<string, number[]>()
  for (const [place, text] of before.entries()) places.set(text, [...(places.get(text) ?? []), place])
  const pieces: (Result | [number, number])[] = []
  let end = 0
  let range: [number, number] | undefined
  for (const [index, result] of results.entries()) {
    const place = places.get(texts[index] ?? '')?.find((each) => each >= end)
    if (place === undefined) {
      pieces.push(result)
      range = undefined
      continue
    }
    if (range !== undefined && place === end) range[1] += 1
    else pieces.push((range = [place, 1]))
    end = place + 1
  }
  return pieces
}

/**
 * Applies a delta; returns the run, or the reason why it does not fit. The run is as untrusted as the delta: the caller
 * validates it and its state digest. Problems, notes and waivers are not part of a delta.
 */
export function applyDelta(base: Run, delta: Delta): Run | { readonly reason: string } {
  const misfit = { reason: `it does not fit run ${delta.base}` }
  if (base.run.id !== delta.base || base.policies.length !== delta.policies.length) return misfit
  const policies: PolicyResult[] = []
  for (const [index, each] of delta.policies.entries()) {
    const before = base.policies[index]
    const policy = before && applyPolicy(before, each)
    if (policy === undefined) return misfit
    policies.push(policy)
  }
  const { schema, target } = base
  const { tool, run, summary, exit } = delta
  return { schema, tool, run, target, policies, summary, exit }
}

function applyPolicy(before: PolicyResult, { id, sha256, skipped, ...pieces }: DeltaPolicy): PolicyResult | undefined {
  if (before.id !== id || before.sha256 !== sha256) return undefined
  const resources = joinPieces(before.resources, pieces.resources)
  const controls = joinPieces(before.controls, pieces.controls)
  if (resources === undefined || controls === undefined) return undefined
  const { skipped: _, ...rest } = before
  return { ...rest, resources, controls, ...(skipped === undefined ? {} : { skipped }) }
}

function joinPieces<Result>(
  before: readonly Result[],
  pieces: readonly Piece<Result>[],
): readonly Result[] | undefined {
  const results: Result[] = []
  let end = 0
  for (const piece of pieces) {
    if (!isRange(piece)) {
      results.push(piece)
      continue
    }
    const [from, count] = piece
    if (from < end || from + count > before.length) return undefined
    results.push(...before.slice(from, from + count))
    end = from + count
  }
  return results
}

function isRange(piece: unknown): piece is readonly [number, number] {
  return Array.isArray(piece) && piece.length === 2 && isCount(piece[0]) && isCount(piece[1])
}

/** Parses a delta; undefined if invalid. Results and times are validated with the resulting run. */
export function readDelta(value: unknown): Delta | undefined {
  const { schema, base, sha256, policies, ...rest } = membersOf<keyof Delta>(value)
  const sender = readSender(rest.sender)
  if (schema !== DELTA_SCHEMA || !isText(base) || !isSha256(sha256)) return undefined
  if (sender === undefined || !Array.isArray(policies) || !policies.every(isDeltaPolicy)) return undefined
  // The rest belongs to the resulting run.
  const { tool, run, summary, exit } = rest as Pick<Delta, 'tool' | 'run' | 'summary' | 'exit'>
  return { schema, base, sha256, tool, run, summary, exit, policies, sender }
}

function isDeltaPolicy(value: unknown): value is DeltaPolicy {
  const { id, sha256, resources, controls } = membersOf<keyof DeltaPolicy>(value)
  return typeof id === 'string' && typeof sha256 === 'string' && Array.isArray(resources) && Array.isArray(controls)
}
