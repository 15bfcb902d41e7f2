import { OperatorError } from '../../model/operator-error.ts'

/**
 * Records of a backup, in this order: the head, the operator's files, and each stream with the chunks of its snapshot.
 */
export type BackupRecord =
  | {
      readonly kind: 'head'
      /** The backup contains all messages before this time, in ISO 8601. */
      readonly since: string
      /** Directory of the fleet, which its files contain. */
      readonly root: string
      readonly version: string
    }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number }
  | { readonly kind: 'stream'; readonly name: string; readonly config: object; readonly state: object }
  | { readonly kind: 'chunk' }

const LENGTH_BYTES = 4

/** Encodes a record with its payload. */
export function recordBytes(record: BackupRecord, payload: Uint8Array = new Uint8Array()): Uint8Array {
  const text = Buffer.from(JSON.stringify(record))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, payload])
}

/** Decodes a record. Throws an `OperatorError` for an unknown format, such as that of a newer driftgate. */
export function readRecord(bytes: Uint8Array): { readonly record: BackupRecord; readonly payload: Uint8Array } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = LENGTH_BYTES + buffer.readUInt32BE()
  const value: unknown = JSON.parse(buffer.subarray(LENGTH_BYTES, end).toString('utf8'))
  if (!isRecord(value))
    throw new OperatorError('the backup contains records that this version of driftgate does not support')
  return { record: value, payload: buffer.subarray(end) }
}

function isRecord(value: unknown): value is BackupRecord {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  const { kind, path, name, since, root }: Readonly<Record<string, unknown>> = { ...value }
  if (kind === 'head') return typeof since === 'string' && typeof root === 'string'
  if (kind === 'file') return typeof path === 'string'
  return kind === 'stream' ? typeof name === 'string' : kind === 'chunk'
}
