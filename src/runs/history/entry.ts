import type { Stats } from 'node:fs'
import { crc32 } from 'node:zlib'
import { defined } from '../../model/defined.ts'
import { hostNameOf } from '../../model/host-name.ts'
import type { PolicyIdentity } from '../../model/policy-identity.ts'
import type { Run, RunMode, Summary } from '../../model/run.ts'
import { VERDICTS } from '../../model/verdict.ts'

/** Identifies a version of a file. */
export interface FileVersion {
  /** File name in the history directory. */
  readonly file: string
  readonly sizeBytes: number
  readonly mtimeMs: number
}

/** A stored run, reduced to the data for lists. */
export interface HistoryEntry extends FileVersion {
  readonly runId: string
  readonly mode: RunMode
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly interrupted: boolean
  readonly host: string
  /** Machine id; absent if the report has no machine id. */
  readonly machine?: string
  readonly policies: readonly PolicyIdentity[]
  readonly summary: Summary
  readonly exitCode: number
}

/** A file with the name of a stored run but without a valid run. */
export interface DamagedFile extends FileVersion {
  readonly reason: string
}

export type IndexLine = HistoryEntry | DamagedFile

export function isDamaged(line: IndexLine): line is DamagedFile {
  return 'reason' in line
}

export function versionOf(file: string, { size, mtimeMs }: Stats): FileVersion {
  return { file, sizeBytes: size, mtimeMs }
}

/** Index entry of a run. */
export function entryOf({ run, target, policies, summary, exit }: Run, version: FileVersion): HistoryEntry {
  return {
    ...version,
    runId: run.id,
    mode: run.mode,
    startedAt: run.startedAt,
    interrupted: run.interrupted,
    host: hostNameOf(target),
    ...defined({ machine: target.machine }),
    policies: policies.map(({ id, source, sha256 }) => ({ id, source, sha256 })),
    summary,
    exitCode: exit.code,
  }
}

/** Formats an index line without line feed: JSON with a checksum, so that damage is detected. */
export function formatLine(line: IndexLine): string {
  const body = JSON.stringify(line)
  return `{"crc32":"${checksum(body)}",${body.slice(1)}`
}

/** Parses an index line; undefined if damaged. */
export function parseLine(text: string): IndexLine | undefined {
  const [start, sum] = CHECKSUM.exec(text) ?? []
  if (start === undefined) return undefined
  const body = `{${text.slice(start.length)}`
  if (checksum(body) !== sum) return undefined
  const value: unknown = JSON.parse(body)
  return isVersion(value) && (isReason(value) || isEntry(value)) ? value : undefined
}

const CHECKSUM = /^\{"crc32":"([0-9a-f]{8})",/

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

function isVersion(value: unknown): value is FileVersion {
  return isRecord(value) && isText(value['file']) && isCount(value['sizeBytes']) && typeof value['mtimeMs'] === 'number'
}

function isReason(value: object): value is DamagedFile {
  return 'reason' in value && isText(value.reason)
}

/** Sorts runs by start time, then by file name, newest first. */
export function newestFirst(runs: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return runs.toSorted((left, right) => {
    if (left.startedAt !== right.startedAt) return left.startedAt < right.startedAt ? 1 : -1
    return left.file < right.file ? 1 : -1
  })
}

function isEntry(value: object): value is HistoryEntry {
  const entry: Readonly<Record<string, unknown>> = { ...value }
  const { policies, summary } = entry
  return (
    isText(entry['runId']) &&
    isText(entry['host']) &&
    (entry['machine'] === undefined || isText(entry['machine'])) &&
    typeof entry['startedAt'] === 'string' &&
    !Number.isNaN(Date.parse(entry['startedAt'])) &&
    (entry['mode'] === 'audit' || entry['mode'] === 'fix') &&
    typeof entry['interrupted'] === 'boolean' &&
    isCount(entry['exitCode']) &&
    isRecord(summary) &&
    ['total', ...VERDICTS].every((name) => isCount(summary[name])) &&
    Array.isArray(policies) &&
    policies.every((policy) => isRecord(policy) && ['id', 'source', 'sha256'].every((key) => isText(policy[key])))
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
