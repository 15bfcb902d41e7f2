import { ifThere } from '../../host/if-there.ts'
import { linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { hostNameOf } from '../../model/host-name.ts'
import type { Run } from '../../model/run.ts'
import { flush } from '../../host/live/flush.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { temporaryName } from '../../host/live/temporary-name.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { type Envelope, envelopeOf, sealEnvelope } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { type Link, readStatement, STATEMENT_PAYLOAD, statementOf } from './statement.ts'

const LARGEST_LINK_BYTES = 16 * 1024 * 1024
const LINK_NAME = /^\d{12}\.dsse$/
/** Retries after concurrent signatures, each of which extends the chain. */
const MOST_TRIES = 100

/** Directory of a host's signed runs, next to its reports. Other hosts may store theirs there as well. */
export function chainDirectory(history: string, host: string): string {
  const name = encodeURIComponent(host.replaceAll(/\p{Surrogate}/gu, '\uFFFD')).replace(/^\./, '%2E')
  return join(history, 'evidence', name)
}

/**
 * Signs a stored run and appends it to the chain. Throws an `OperatorError`; the run then stays stored without a
 * signature.
 */
export function signRun(history: string, report: string, key: Key): void {
  const bytes = Buffer.from(report)
  const run = JSON.parse(report) as Run
  const directory = chainDirectory(history, hostNameOf(run.target))
  attempt(`the run is stored, but cannot be signed in ${directory}`, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const link = nextLink(directory)
      const payload = Buffer.from(JSON.stringify(statementOf(run, bytes, link)))
      if (append(directory, link, sealEnvelope(STATEMENT_PAYLOAD, payload, key))) return
    }
    throw new OperatorError('too many concurrent writers')
  })
}

function nextLink(directory: string): Link {
  const last = namesIn(directory).at(-1)
  if (last === undefined) return { sequence: 1, previous: null }
  const envelope = envelopeOf(STATEMENT_PAYLOAD, readJson(join(directory, last)))
  const payload = 'message' in envelope ? undefined : Buffer.from(envelope.payload, 'base64')
  const statement = payload && readStatement(payload)
  if (payload === undefined || statement === undefined) throw new OperatorError(`${last} is not a signed run`)
  return { sequence: statement.predicate.sequence + 1, previous: sha256(payload) }
}

/** Appends a link atomically, flushed to disk; false if its place is taken. Links are never replaced. */
function append(directory: string, { sequence }: Link, envelope: Envelope): boolean {
  const place = join(directory, `${String(sequence).padStart(12, '0')}.dsse`)
  const draft = join(directory, temporaryName('link'))
  replaceFile(draft, JSON.stringify(envelope), { mode: 0o600 })
  try {
    linkSync(draft, place)
    flush({ handle: directory })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Contents of a chain's files, in order; empty without signed runs. */
export function readChain(directory: string): readonly unknown[] {
  return (
    attempt(`cannot read the signed runs in ${directory}`, () =>
      ifThere(() => namesIn(directory).map((name) => readJson(join(directory, name)))),
    ) ?? []
  )
}

function namesIn(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => LINK_NAME.test(name))
    .toSorted()
}

/** Value of a file, or its text if it is not JSON, so that verification reports it. */
function readJson(path: string): unknown {
  const text = readWhole(path, LARGEST_LINK_BYTES).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
