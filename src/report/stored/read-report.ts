import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ErrorObject } from 'ajv'
import { OperatorError } from '../../model/operator-error.ts'
import type { Problem } from '../../model/problem.ts'
import type { Run } from '../../model/run.ts'
import { systemReason } from '../../model/system-reason.ts'
import { distinguishPolicies } from '../../model/findings/align.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'

/** A report of 10,000 resources has about 10 MB; a larger one than this limit would not fit into a string. */
export const LARGEST_REPORT_BYTES = 500 * 1024 * 1024

const SCHEMA: Run['schema'] = 'driftgate.report/v1'

const GZIP_MAGIC = [0x1f, 0x8b] as const

/**
 * Reads a JSON report of an earlier scan, optionally compressed with gzip; `-` is standard input, by default that of
 * this process. Throws an `OperatorError` with the file, and the path in it that violates `schemas/report.schema.json`.
 */
export async function readReport(path: string, stdin?: AsyncIterable<unknown>): Promise<Run> {
  return parseReport(await readBytes(path, stdin), path === '-' ? 'standard input' : path)
}

/** Parses a report from bytes, optionally compressed; `name` is used in messages. */
export async function parseReport(
  bytes: Uint8Array,
  name: string,
  maxBytes: number = LARGEST_REPORT_BYTES,
): Promise<Run> {
  return checkReport(await parseStored(bytes, name, maxBytes), name)
}

/** Parses JSON from bytes, optionally compressed; `name` is used in messages. */
export async function parseStored(bytes: Uint8Array, name: string, maxBytes: number): Promise<unknown> {
  const text = new TextDecoder().decode(await decompress(bytes, name, maxBytes))
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw cannotUse(name, text.trim() === '' ? 'it is empty' : `it is not JSON: ${reason}`, error)
  }
}

/** Validates a parsed report; `name` is used in messages. */
export async function checkReport(report: unknown, name: string): Promise<Run> {
  const schema = typeof report === 'object' && report !== null && 'schema' in report ? report.schema : undefined
  if (schema !== SCHEMA) {
    const found = typeof schema === 'string' ? `it says "schema": "${schema}"` : 'it has no schema'
    throw cannotUse(name, `${found}, but only ${SCHEMA} of scan --report json is supported`)
  }
  const { validateReport } = await import('./generated/report-validator.js')
  if (validateReport(report)) return distinguishPolicies(report)
  throw cannotUse(name, `it is not a valid report: ${describeViolation(validateReport.errors ?? [])}`)
}

/** The readable reports in their order, and a problem for each of the others. */
export interface ReadReports {
  readonly runs: readonly Run[]
  readonly problems: readonly Problem[]
}

/** Reads several reports; a problem with one does not affect the others. */
export async function readEachReport(paths: readonly string[], stdin?: AsyncIterable<unknown>): Promise<ReadReports> {
  const runs: Run[] = []
  const problems: Problem[] = []
  for (const path of paths) {
    try {
      runs.push(await readReport(path, stdin))
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      problems.push({ message: error.message, severity: 'error' })
    }
  }
  return { runs, problems }
}

/** Reads several reports. Throws an `OperatorError` with the problems of all unreadable ones. */
export async function readReports(
  paths: readonly string[],
  stdin?: AsyncIterable<unknown>,
): Promise<readonly [Run, ...Run[]]> {
  const { runs, problems } = await readEachReport(paths, stdin)
  const [first, ...others] = runs
  if (problems.length > 0 || first === undefined) {
    throw new OperatorError('not all reports can be used', { problems })
  }
  return [first, ...others]
}

async function readBytes(path: string, stdin: AsyncIterable<unknown> = process.stdin): Promise<Uint8Array> {
  try {
    return path === '-' ? await buffer(stdin) : readWhole(path, LARGEST_REPORT_BYTES)
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT'
    throw cannotUse(path, isMissing ? 'no such file' : systemReason(error), error)
  }
}

async function decompress(bytes: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = `it is larger than ${maxBytes} bytes`
  if (bytes[0] !== GZIP_MAGIC[0] || bytes[1] !== GZIP_MAGIC[1]) {
    if (bytes.length > maxBytes) throw cannotUse(name, tooLarge)
    return bytes
  }
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = error instanceof RangeError
    const reason = isTooLarge ? tooLarge : 'its compressed data is damaged'
    throw cannotUse(name, reason, error)
  }
}

/** Describes a schema violation. The deepest error is the most specific. */
export function describeViolation(errors: readonly ErrorObject[]): string {
  const [deepest] = errors.toSorted((left, right) => right.instancePath.length - left.instancePath.length)
  const place = deepest === undefined || deepest.instancePath === '' ? 'the report' : deepest.instancePath.slice(1)
  return `${place} ${deepest?.message ?? 'is not as the schema says'}`
}

/** An unusable report; `reason` is the end of a sentence in which the caller names it. */
export class UnusableReport extends OperatorError {
  readonly reason: string

  constructor(name: string, reason: string, cause?: unknown) {
    super(`cannot use the report ${name}: ${reason}`, { cause })
    this.reason = reason
  }
}

function cannotUse(name: string, reason: string, cause?: unknown): UnusableReport {
  return new UnusableReport(name, reason, cause)
}
