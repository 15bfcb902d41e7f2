import { type Stats } from 'node:fs'
import { basename } from 'node:path'
import { isPrivateKey } from '../../host/signing/private-key.ts'

const OTHERS_READ = 0o044
const SET_ID = 0o6000

/** Names of files that contain passwords. */
const PRIVATE_NAMES =
  /^(?:\.env(?:\..*)?|.*\.env|\.netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.vault-token|.*\.(?:p12|pfx|jks|keystore|kdbx))$/i

/** The seed of a key of NATS. */
const SEED = /(?<![A-Z2-7])S[UAONCX][A-Z2-7]{56}(?![A-Z2-7])/

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
  if (isPrivateKey(bytes)) return 'it contains a private key'
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return SEED.test(text) ? 'it contains a key seed' : undefined
}
