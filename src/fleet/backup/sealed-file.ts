import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { draftFile } from '../../host/live/own-file.ts'

/**
 * File of records encrypted with a passphrase. The first line holds the parameters of the key derivation; each record
 * is encrypted and authenticated with AES-256-GCM and its number, so that modification, reordering, removal and
 * truncation are detected.
 */
const MAGIC = 'driftgate-fleet-backup-1'
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const
const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const LENGTH_BYTES = 4
const LARGEST_RECORD_BYTES = 80 * 1024 * 1024
const LONGEST_HEAD_BYTES = 256

/** A writer that replaces the file once it is complete. */
export interface SealedWriter {
  /** Throws the system's error. */
  readonly write: (record: Uint8Array) => void
  /** Moves the file into place. Throws the system's error. */
  readonly finish: () => void
  /** Discards the file; no effect after `finish`. */
  readonly discard: () => void
}

/** Starts a file that only its owner can read. Throws the system's error. */
export function sealedWriter(path: string, passphrase: string): SealedWriter {
  const salt = randomBytes(SALT_BYTES)
  const key = keyFor(passphrase, salt)
  const draft = draftFile(path, { mode: 0o600 })
  writeAll(draft.descriptor, Buffer.from(`${MAGIC} ${salt.toString('hex')}\n`))
  let count = 0
  const put = (record: Uint8Array, isLast: boolean): void => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(count++, isLast))
    const sealed = Buffer.concat([cipher.update(record), cipher.final(), cipher.getAuthTag()])
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(sealed.length)
    writeAll(draft.descriptor, Buffer.concat([length, sealed]))
  }
  return {
    write: (record) => put(record, false),
    finish() {
      put(Buffer.alloc(0), true)
      fsyncSync(draft.descriptor)
      draft.place()
      closeSync(draft.descriptor)
    },
    discard: draft.discard,
  }
}

/** Records of a file, in order. Throws an `OperatorError` for a wrong format or passphrase, or a damaged file. */
export function* sealedRecords(path: string, passphrase: string): Generator<Uint8Array> {
  const descriptor = openSync(path, 'r')
  try {
    const salt = saltIn(descriptor, path)
    const key = keyFor(passphrase, salt)
    let position = MAGIC.length + 1 + 2 * SALT_BYTES + 1
    for (let count = 0; ; count++) {
      const length = readAt(descriptor, position, LENGTH_BYTES)
      if (length.length < LENGTH_BYTES) throw damagedFileError(path, 'it is cut off')
      const size = length.readUInt32BE()
      if (size < TAG_BYTES || size > LARGEST_RECORD_BYTES) throw damagedFileError(path, 'a record has an invalid size')
      const sealed = readAt(descriptor, position + LENGTH_BYTES, size)
      if (sealed.length < size) throw damagedFileError(path, 'it is cut off')
      const isLast = size === TAG_BYTES
      const record = decrypt(sealed, key, nonceOf(count, isLast))
      if (record === undefined)
        throw count === 0
          ? new OperatorError(`${path} cannot be opened: wrong passphrase, or its beginning is damaged`)
          : damagedFileError(path, `record ${count + 1} was changed`)
      if (isLast) return
      yield record
      position += LENGTH_BYTES + size
    }
  } finally {
    closeSync(descriptor)
  }
}

function decrypt(sealed: Buffer, key: Buffer, nonce: Buffer): Uint8Array | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function damagedFileError(path: string, reason: string): OperatorError {
  return new OperatorError(`${path} is damaged: ${reason}`)
}

function keyFor(passphrase: string, salt: Uint8Array): Buffer {
  return scryptSync(passphrase, salt, KEY_BYTES, SCRYPT)
}

/**
 * Each file has its own key, so the record number is a sufficient nonce; the last record is marked, so that truncation
 * is detected.
 */
function nonceOf(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt8(isLast ? 1 : 0, 0)
  nonce.writeBigUInt64BE(BigInt(count), LENGTH_BYTES)
  return nonce
}

function saltIn(descriptor: number, path: string): Buffer {
  const head = readAt(descriptor, 0, LONGEST_HEAD_BYTES).toString('latin1')
  const [, salt] = new RegExp(`^${MAGIC} ([0-9a-f]{${2 * SALT_BYTES}})\n`).exec(head) ?? []
  if (salt === undefined) throw new OperatorError(`${path} is not a fleet backup, or is from a newer driftgate`)
  return Buffer.from(salt, 'hex')
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const more = readSync(descriptor, buffer, read, length - read, position + read)
    if (more === 0) break
    read += more
  }
  return buffer.subarray(0, read)
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written)
}
