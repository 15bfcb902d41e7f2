import { canonicalJson } from '../../model/canonical-json.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { parseReport } from '../../report/stored/read-report.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { bytesOf, envelopeOf, hasExactly, isSignedBy } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { type Findings, noBundle } from './findings.ts'
import { MESSAGE_BUNDLE } from './message-bundle.ts'
import { readStatement, type Statement, STATEMENT_PAYLOAD, statementOf } from './statement.ts'
import { verifyMessages } from './verify-messages.ts'

interface Judgement {
  readonly wrong: string[]
  readonly unproved: string[]
  readonly keys: ReadonlyMap<string, Key>
  readonly host: string
}

interface Checked {
  readonly statement: Statement
  readonly digest: string
}

/**
 * Verifies a bundle from JSON: signatures by one of the keys, a chain without gaps, and the digests of the reports.
 * Nothing in the bundle is trusted. Throws an `OperatorError` if it is not a bundle.
 */
export async function verifyBundle(
  value: unknown,
  keys: readonly Key[],
  nowMs: number = Date.now(),
): Promise<Findings> {
  if (typeof value === 'object' && value !== null && 'schema' in value && value.schema === MESSAGE_BUNDLE)
    return verifyMessages(value, keys, nowMs)
  if (!hasExactly(value, ['host', 'links', 'schema', 'unsigned'])) throw noBundle('it has other keys')
  const { schema, host, links, unsigned } = value
  if (schema !== 'driftgate.evidence/v1') throw noBundle('only driftgate.evidence/v1 can be verified')
  if (typeof host !== 'string' || !Array.isArray(links) || !Array.isArray(unsigned))
    throw noBundle('a key is not a list')
  const judgement: Judgement = { wrong: [], unproved: [], keys: new Map(keys.map((key) => [key.id, key])), host }
  if (keys.length === 0) judgement.unproved.push('no key was named, so no signature was checked')
  const checked: Checked[] = []
  for (const [index, link] of (links as unknown[]).entries()) {
    const found = await checkLink(link, `signed run ${index + 1} of the bundle`, judgement)
    if (found === undefined) continue
    checkOrder(checked.at(-1), found, judgement)
    checked.push(found)
  }
  if (checked.length === 0) judgement.unproved.push('no signed run')
  if (unsigned.length > 0) judgement.unproved.push(`${unsigned.length} of the runs are unsigned`)
  const [first] = checked
  const last = checked.at(-1)
  return {
    host,
    wrong: judgement.wrong,
    unproved: judgement.unproved,
    ...(first &&
      last && {
        span: { first: first.statement, last: last.statement, count: checked.length, head: last.digest },
      }),
  }
}

async function checkLink(link: unknown, label: string, judgement: Judgement): Promise<Checked | undefined> {
  const { wrong, unproved, host } = judgement
  const hasReport = hasExactly(link, ['envelope', 'report'])
  if (!hasReport && !hasExactly(link, ['envelope'])) {
    wrong.push(`${label}: it must contain an envelope and a report`)
    return undefined
  }
  const envelope = envelopeOf(STATEMENT_PAYLOAD, link.envelope)
  if ('message' in envelope) {
    wrong.push(`${label}: ${envelope.message}`)
    return undefined
  }
  const [{ keyid }] = envelope.signatures
  const key = judgement.keys.get(keyid)
  if (judgement.keys.size > 0 && key === undefined) wrong.push(`${label}: signed by an unknown key: ${keyid}`)
  if (key !== undefined && !isSignedBy(envelope, key)) wrong.push(`${label}: the signature is not of this content`)
  const payload = Buffer.from(envelope.payload, 'base64')
  const statement = readStatement(payload)
  if (statement === undefined) {
    wrong.push(`${label}: the envelope has no statement of a run`)
    return undefined
  }
  const [{ name }] = statement.subject
  const run = `run ${statement.predicate.sequence}`
  if (name !== host) wrong.push(`${run}: it is of the host ${name}, not of ${host}`)
  if (hasReport) await checkReport(link.report, statement, judgement)
  else unproved.push(`${run}: its report is not in the bundle`)
  return { statement, digest: sha256(payload) }
}

async function checkReport(text: unknown, statement: Statement, { wrong }: Judgement): Promise<void> {
  const { sequence, previous } = statement.predicate
  const report = bytesOf(text)
  if (report === undefined || sha256(report) !== statement.subject[0].digest.sha256) {
    wrong.push(`run ${sequence}: the report is not the one that was signed`)
    return
  }
  try {
    const run = await parseReport(report, `the report of run ${sequence}`)
    const said = statementOf(run, report, { sequence, previous: previous?.sha256 ?? null })
    if (canonicalJson(said) !== canonicalJson(statement)) {
      wrong.push(`run ${sequence}: its signed summary differs from its report`)
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    wrong.push(`run ${sequence}: ${error.message}`)
  }
}

/**
 * Each run contains the digest of the previous one, so that changes, removals, insertions and reordering are detected.
 */
function checkOrder(before: Checked | undefined, { statement }: Checked, { wrong }: Judgement): void {
  if (before === undefined) return
  const { sequence, previous } = statement.predicate
  const expected = before.statement.predicate.sequence + 1
  if (sequence > expected) {
    wrong.push(
      sequence === expected + 1 ? `run ${expected} is missing` : `runs ${expected} to ${sequence - 1} are missing`,
    )
  } else if (sequence < expected) {
    wrong.push(`run ${sequence} follows run ${expected - 1}: the runs are out of order or duplicated`)
  } else if (previous?.sha256 !== before.digest) {
    wrong.push(`run ${sequence} does not follow this run ${expected - 1}: one of them was replaced`)
  }
}
