import { existsSync } from 'node:fs'
import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { attempt, OperatorError } from '../../../model/operator-error.ts'
import { type Key, makeKeys, namedKey, readPublicKey } from '../../../host/signing/keys.ts'
import { readBundle } from '../../../fleet/evidence/read-bundle.ts'
import type { Findings } from '../../../fleet/evidence/findings.ts'
import { verifyBundle } from '../../../fleet/evidence/verify.ts'
import { keyOfNkey } from '../../../fleet/nats/nkey.ts'
import { replaceFile } from '../../../host/live/own-file.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { EvidenceInvocation } from './index.ts'

/** Creates keys or verifies a bundle, and returns the exit code. Throws an `OperatorError`. */
export async function runEvidence(
  { operands: [action, file = ''], options: { key } }: EvidenceInvocation,
  io: Io,
): Promise<number> {
  if (action === 'verify') {
    const found = await verifyBundle(await readBundle(file, io.stdin), key.map(trustedKey))
    await io.print(inWords(found))
    return found.wrong.length > 0 ? EXIT.drift : found.unproved.length > 0 ? EXIT.undecided : EXIT.ok
  }
  if (key.length > 0) throw usageError('--key is for verify: the new key is written to FILE', 'evidence')
  const { id, privatePem, publicPem } = makeKeys()
  for (const path of [file, `${file}.pub`]) {
    if (existsSync(path))
      throw new OperatorError(`${path} already exists: runs signed with it could not be verified after replacing it`)
  }
  write(file, privatePem, 0o600)
  write(`${file}.pub`, publicPem, 0o644)
  await io.print(`${id}\n`)
  io.say(`driftgate: keep ${file} on the host; give ${file}.pub to the verifier\n`)
  return EXIT.ok
}

/** A key file, or a key in the notation of rosters. */
function trustedKey(text: string): Key {
  const key = keyOfNkey(text)
  return key === undefined ? readPublicKey(text) : namedKey(key)
}

function write(path: string, content: string, mode: number): void {
  attempt(`cannot write the key ${path}`, () => replaceFile(path, content, { mode }))
}

function inWords({ host, wrong, unproved, span, sent }: Findings): string {
  const lines = [...wrong.map((each) => `wrong: ${each}`), ...unproved.map((each) => `not verified: ${each}`)]
  if (span !== undefined && wrong.length === 0) {
    const { first, last, count, head } = span
    const of = `${count} signed ${count === 1 ? 'run' : 'runs'} of ${host}, ${first.predicate.sequence} to ${last.predicate.sequence}`
    lines.push(`${of}, started ${first.predicate.run.startedAt} to ${last.predicate.run.startedAt}`)
    lines.push(`the latest is ${head}`)
  }
  if (sent !== undefined && wrong.length === 0) {
    const { first, last, count, runs, startedAt, head } = sent
    const of = `${countOf(count, 'signed message')} of ${host}, ${first} to ${last}, about ${countOf(runs, 'run')}`
    lines.push(`${of}, started ${startedAt.join(' to ')}`, `the latest is ${head}`)
  }
  const verdict = wrong.length > 0 ? 'NOT as signed' : unproved.length > 0 ? 'not fully verified' : 'verified'
  return [...lines, verdict].map((line) => `${escapeForTerminal(line)}\n`).join('')
}
