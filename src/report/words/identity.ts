import type { Run } from '../../core/run.ts'
import { fingerprint } from '../../findings/fingerprint.ts'
import type { Finding } from './finding.ts'

/**
 * One fingerprint per finding that no other of them has, for readers that drop what has the same: in a merged report the
 * machine is part of it, and of findings that are alike all the same the later ones are numbered. Lower-case hex.
 */
export function identitiesOf({ target }: Run, findings: readonly Finding[]): readonly string[] {
  const counts = new Map<string, number>()
  return findings.map((finding) => {
    const own = finding.fingerprint
    const identity = target.kind === 'merged' ? digest(own, finding.origin.target.hostname) : own
    const number = (counts.get(identity) ?? 0) + 1
    counts.set(identity, number)
    return number === 1 ? identity : digest(identity, String(number))
  })
}

function digest(identity: string, detail: string): string {
  return fingerprint({ policy: '', resource: { id: identity }, subject: [detail] })
}
