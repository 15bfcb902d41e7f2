import { hostNameOf } from '../../model/host-name.ts'
import type { Run } from '../../model/run.ts'
import { isSha256, sha256 } from '../../host/signing/digest.ts'

/** Payload type of signed runs. */
export const STATEMENT_PAYLOAD = 'application/vnd.in-toto+json'

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
const PREDICATE_TYPE = 'urn:driftgate:attestation:run:v1'

/** Position of a run in the chain of its host. */
export interface Link {
  /** 1 for the first run, increased by one for each. */
  readonly sequence: number
  /** SHA-256 of the previous payload, in hex; null for the first. */
  readonly previous: string | null
}

/** The signed in-toto statement of a run, whose subject is the report of the host. */
export interface Statement {
  readonly _type: string
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }]
  readonly predicateType: string
  readonly predicate: Predicate
}

interface Predicate {
  readonly sequence: number
  readonly previous: { readonly sha256: string } | null
  readonly tool: Run['tool']
  readonly run: Pick<Run['run'], 'id' | 'mode' | 'startedAt' | 'finishedAt' | 'interrupted'>
  readonly summary: Run['summary']
  readonly exitCode: number
  readonly policies: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[]
  /** Waivers in force, used or not. */
  readonly waivers: readonly {
    readonly id: string
    readonly approver: string
    readonly expires: string
    readonly accepted: number
  }[]
}

/** Statement of a run with this JSON report. */
export function statementOf(run: Run, report: Uint8Array, { sequence, previous }: Link): Statement {
  const { id, mode, startedAt, finishedAt, interrupted } = run.run
  const inForce = (run.waivers ?? []).filter(({ state }) => state === 'in-force')
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: hostNameOf(run.target), digest: { sha256: sha256(report) } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      sequence,
      previous: previous === null ? null : { sha256: previous },
      tool: { name: run.tool.name, version: run.tool.version },
      run: { id, mode, startedAt, finishedAt, interrupted },
      summary: run.summary,
      exitCode: run.exit.code,
      policies: run.policies.map((policy) => ({ name: policy.id, digest: { sha256: policy.sha256 } })),
      waivers: inForce.map((waiver) => ({
        id: waiver.id,
        approver: waiver.approver,
        expires: waiver.expires,
        accepted: waiver.accepted,
      })),
    },
  }
}

/** Parses a statement; undefined if it is not a driftgate statement. */
export function readStatement(payload: Uint8Array): Statement | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  } catch {
    return undefined
  }
  return isStatement(value) ? value : undefined
}

/** Other fields are compared with the report, or not relied on. */
function isStatement(value: unknown): value is Statement {
  const { _type, subject, predicateType, predicate } = asMap(value)
  const { sequence, previous, run } = asMap(predicate)
  const { startedAt, id } = asMap(run)
  const [about, ...others] = Array.isArray(subject) ? (subject as unknown[]) : []
  const { name, digest } = asMap(about)
  return (
    _type === STATEMENT_TYPE &&
    predicateType === PREDICATE_TYPE &&
    others.length === 0 &&
    typeof name === 'string' &&
    isDigest(digest) &&
    Number.isSafeInteger(sequence) &&
    (sequence === 1 ? previous === null : isDigest(previous)) &&
    typeof id === 'string' &&
    typeof startedAt === 'string'
  )
}

function isDigest(value: unknown): boolean {
  const { sha256: hex } = asMap(value)
  return isSha256(hex)
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
