import { join } from 'node:path'
import { replaceFile } from '../../target/local/own-file.ts'
import { readWhole } from '../../target/local/read-whole.ts'
import { errorCode } from '../../target/local/system-error.ts'

/** What is known of the runs of a history that were sent. */
export interface Outbox {
  /** The runs that the server has acknowledged. */
  readonly sent: ReadonlySet<string>
  /** The ids under which others were sent without an acknowledgement, by run. */
  readonly tried: ReadonlyMap<string, string>
}

const NAME = 'outbox.json'
const LARGEST_BYTES = 16 * 1024 * 1024

/** Reads it; a file that is missing or damaged means that nothing was sent, since to send a run twice does no harm. */
export function readOutbox(directory: string): Outbox {
  try {
    const read: { readonly sent?: unknown; readonly tried?: unknown } = JSON.parse(
      readWhole(join(directory, NAME), LARGEST_BYTES).toString('utf8'),
    )
    const sent = Array.isArray(read.sent) ? read.sent.filter((id) => typeof id === 'string') : []
    const tried = Object.entries(read.tried ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    return { sent: new Set(sent), tried: new Map(tried) }
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return { sent: new Set(), tried: new Map() }
    throw error
  }
}

/** Writes it. Throws the system's error. */
export function writeOutbox(directory: string, { sent, tried }: Outbox): void {
  const text = JSON.stringify({ sent: [...sent], tried: Object.fromEntries(tried) })
  replaceFile(join(directory, NAME), text, { mode: 0o600 })
}
