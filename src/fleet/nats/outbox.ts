import { membersOf } from '../../model/members-of.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import type { BaseRun, LastRun, OnServer } from '../messages/kinds.ts'
import { type LinkHead, readHead } from '../messages/link.ts'
import { defined } from '../../model/defined.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { isCount, isText, isTime } from '../messages/sender.ts'

/** Send state of the runs in a history. */
export interface Outbox extends OnServer {
  /** Runs that the server has acknowledged, and dropped ones. */
  readonly sent: ReadonlySet<string>
  /** Queued runs; one that the history no longer has is lost. */
  readonly waiting: ReadonlySet<string>
  /** Queued runs that are sent in full as the first of a day. */
  readonly evidence: ReadonlySet<string>
  /** Number of runs that will never be sent. */
  readonly lost: number
  /** Last message of the chain; absent before the first. */
  readonly head?: LinkHead
}

const NAME = 'outbox.json'
const LARGEST_BYTES = 16 * 1024 * 1024
const EMPTY: Outbox = { sent: new Set(), waiting: new Set(), evidence: new Set(), lost: 0 }

/** Reads the state; a missing or damaged file counts as empty, since sending a run twice is harmless. */
export function readOutbox(directory: string): Outbox {
  try {
    const text = readWhole(join(directory, NAME), LARGEST_BYTES).toString('utf8')
    const read: Partial<Record<keyof Outbox, unknown>> | null = JSON.parse(text)
    const { sent, waiting, evidence, lost, base, last, head } = read ?? {}
    return {
      sent: idsIn(sent),
      waiting: idsIn(waiting),
      evidence: idsIn(evidence),
      lost: isCount(lost) ? lost : 0,
      ...(isBase(base) ? { base } : {}),
      ...(isLast(last) ? { last } : {}),
      ...defined({ head: readHead(head) }),
    }
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return EMPTY
    throw error
  }
}

/** Throws the system's error. */
export function writeOutbox(directory: string, { sent, waiting, evidence, ...others }: Outbox): void {
  const text = JSON.stringify({ sent: [...sent], waiting: [...waiting], evidence: [...evidence], ...others })
  replaceFile(join(directory, NAME), text, { mode: 0o600 })
}

/** Removes the state of a previous host key. Throws the system's error. */
export function forgetOutbox(directory: string): void {
  rmSync(join(directory, NAME), { force: true })
}

function idsIn(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [])
}

function isBase(value: unknown): value is BaseRun {
  const { run, startedAt, circumstances } = membersOf<keyof BaseRun>(value)
  return isText(run) && isTime(startedAt) && isSha256(circumstances)
}

function isLast(value: unknown): value is LastRun {
  const { run, startedAt, sha256 } = membersOf<keyof LastRun>(value)
  return isText(run) && isTime(startedAt) && isSha256(sha256)
}
