import { OperatorError } from '../../model/operator-error.ts'

/** What a backup holds, in this order: its head, the files of the operator, and each stream with the chunks of its snapshot. */
export type BackupRecord =
  | {
      readonly kind: 'head'
      /** What the server has been sent before this time is in the backup, in ISO 8601. */
      readonly since: string
      /** The directory of the fleet, which its files name. */
      readonly root: string
      readonly version: string
    }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number }
  | { readonly kind: 'stream'; readonly name: string; readonly config: object; readonly state: object }
  | { readonly kind: 'chunk' }

const LENGTH_BYTES = 4

/** A record with what belongs to it, as bytes. */
export function recordBytes(record: BackupRecord, payload: Uint8Array = new Uint8Array()): Uint8Array {
  const text = Buffer.from(JSON.stringify(record))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, payload])
}

/** Reads such bytes. Throws an `OperatorError` for others: a newer driftgate may have written them. */
export function readRecord(bytes: Uint8Array): { readonly record: BackupRecord; readonly payload: Uint8Array } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = LENGTH_BYTES + buffer.readUInt32BE()
  const value: unknown = JSON.parse(buffer.subarray(LENGTH_BYTES, end).toString('utf8'))
  if (!isRecord(value)) throw new OperatorError('the backup holds something that this driftgate does not know')
  return { record: value, payload: buffer.subarray(end) }
}

function isRecord(value: unknown): value is BackupRecord {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  const { kind, path, name, since, root }: Readonly<Record<string, unknown>> = { ...value }
  if (kind === 'head') return typeof since === 'string' && typeof root === 'string'
  if (kind === 'file') return typeof path === 'string'
  return kind === 'stream' ? typeof name === 'string' : kind === 'chunk'
}
