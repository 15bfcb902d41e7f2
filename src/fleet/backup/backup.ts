import { lstatSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { attempt } from '../../model/operator-error.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { asOperator } from '../nats/operator.ts'
import { streamsFor } from '../nats/streams.ts'
import { recordBytes } from './records.ts'
import { sealedWriter } from './sealed-file.ts'
import { snapshotOf } from './snapshot.ts'

const LARGEST_BYTES = 64 * 1024 * 1024

/** Tolerance for clock differences between hosts and this machine. */
const MARGIN_MS = 10 * 60_000

export interface BackupSettings {
  readonly passphrase: string
  readonly author: string
  /** driftgate version. */
  readonly version: string
}

/** Contents of a backup. */
export interface BackedUp {
  readonly files: number
  readonly messages: number
  readonly bytes: number
}

/**
 * Writes the files of a fleet and all data of its server to a passphrase-encrypted file. Throws an `OperatorError`; no
 * file is then left at the path.
 */
export async function backUp(directory: string, path: string, settings: BackupSettings): Promise<BackedUp> {
  const { passphrase, author, version } = settings
  return await asOperator(directory, async ({ line, note }) => {
    const root = resolve(directory)
    const since = new Date(Date.now() - MARGIN_MS).toISOString()
    const counts = { files: 0, messages: 0, bytes: 0 }
    // Recorded first, so that the backup contains it.
    await note({ act: 'backup', author, about: 'fleet', text: `wrote a backup of the fleet to ${resolve(path)}` })
    const writer = withWriteErrors(path, () => sealedWriter(path, passphrase))
    const put = (record: Uint8Array): void => {
      withWriteErrors(path, () => writer.write(record))
      counts.bytes += record.length
    }
    try {
      put(recordBytes({ kind: 'head', since, root, version }))
      for (const file of filesBelow(root)) {
        put(recordBytes({ kind: 'file', path: relative(root, file), mode: lstatSync(file).mode & 0o777 }, read(file)))
        counts.files++
      }
      for (const { name } of streamsFor({ bytes: 0 }))
        await snapshotOf(line, name, {
          head({ config, state }) {
            put(recordBytes({ kind: 'stream', name, config, state }))
            counts.messages += state.messages
          },
          chunk: (bytes) => put(recordBytes({ kind: 'chunk' }, bytes)),
        })
      withWriteErrors(path, () => writer.finish())
    } finally {
      writer.discard()
    }
    return counts
  })
}

function withWriteErrors<Value>(path: string, work: () => Value): Value {
  return attempt(`cannot write ${path}`, work)
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

function read(path: string): Uint8Array {
  return attempt(`cannot read ${path}`, () => readWhole(path, LARGEST_BYTES))
}
