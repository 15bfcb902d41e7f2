import { createPrivateKey } from 'node:crypto'
import { type Stats } from 'node:fs'
import { basename } from 'node:path'

const OTHERS_READ = 0o044
const SET_ID = 0o6000

/** Names of files that contain passwords. */
const PRIVATE_NAMES =
  /^(?:\.env(?:\..*)?|.*\.env|\.netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.vault-token|.*\.(?:p12|pfx|jks|keystore|kdbx))$/i

/** Start of private keys of OpenSSL, OpenSSH and PGP, and those of PuTTY, age and NATS. */
const PRIVATE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/, 'it contains a private key'],
  [/^PuTTY-User-Key-File-\d/m, 'it contains a private key'],
  [/\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/, 'it contains a private key'],
  [/(?<![A-Z2-7])S[UAONCX][A-Z2-7]{56}(?![A-Z2-7])/, 'it contains a key seed'],
]

/** A private key in DER is a small ASN.1 sequence. */
const DER_SEQUENCE = 0x30
const LARGEST_DER_BYTES = 16 * 1024

/**
 * Why a file must not go to every host of a fleet, as the end of a sentence; undefined if it may. `mode` includes the
 * restrictions of its directories; without it only name and content are checked.
 */
export function whyPrivate(path: string, bytes: Uint8Array, mode?: Stats['mode']): string | undefined {
  if (PRIVATE_NAMES.test(basename(path))) return 'files of this name contain passwords'
  if (mode !== undefined && (mode & SET_ID) !== 0) return 'it is setuid or setgid'
  return whyPrivateContent(bytes) ?? (mode !== undefined && (mode & OTHERS_READ) === 0 ? OWNER_ALONE : undefined)
}

const OWNER_ALONE = 'only its owner may read it'

function whyPrivateContent(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const found = PRIVATE_TEXTS.find(([pattern]) => pattern.test(text))
  if (found !== undefined) return found[1]
  return isPrivateDer(bytes) ? 'it contains a private key' : undefined
}

function isPrivateDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== DER_SEQUENCE || bytes.length > LARGEST_DER_BYTES) return false
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key: Buffer.from(bytes), format: 'der', type })
      return true
    } catch {
      return false
    }
  })
}
