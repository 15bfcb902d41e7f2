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

/** A report of 10,000 resources has about 10 MB; far more is a mistake or an attack, and no longer fits into a string. */
export const LARGEST_REPORT_BYTES = 500 * 1024 * 1024

const SCHEMA: Run['schema'] = 'driftgate.report/v1'

const GZIP_MAGIC = [0x1f, 0x8b] as const

/**
 * Reads a JSON report that an earlier scan wrote, compressed with gzip or not; `-` is standard input, of this process where no other is given. Throws an
 * `OperatorError` that names the file, and the place in it that is not as `schemas/report.schema.json` says.
 */
export async function readReport(path: string, stdin?: AsyncIterable<unknown>): Promise<Run> {
  return parseReport(await readBytes(path, stdin), path === '-' ? 'standard input' : path)
}

/** The report in the bytes of a file, compressed or not; `name` is what messages call it. */
export async function parseReport(
  bytes: Uint8Array,
  name: string,
  maxBytes: number = LARGEST_REPORT_BYTES,
): Promise<Run> {
  return checkReport(await parseStored(bytes, name, maxBytes), name)
}

/** The value of JSON in bytes, compressed or not; `name` is what messages call it. */
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

/** The report in a value that was read from JSON; `name` is what messages call it. */
export async function checkReport(report: unknown, name: string): Promise<Run> {
  const schema = typeof report === 'object' && report !== null && 'schema' in report ? report.schema : undefined
  if (schema !== SCHEMA) {
    const found = typeof schema === 'string' ? `it says "schema": "${schema}"` : 'it names no schema'
    throw cannotUse(name, `${found}, but only ${SCHEMA} can be read, which scan --report json writes`)
  }
  const { validateReport } = await import('./generated/report-validator.js')
  if (validateReport(report)) return distinguishPolicies(report)
  throw cannotUse(name, `it is no valid report: ${describeViolation(validateReport.errors ?? [])}`)
}

/** Reports that could be read, in the order they were named, and what is wrong with each of the others. */
export interface ReadReports {
  readonly runs: readonly Run[]
  readonly problems: readonly Problem[]
}

/** Reads several reports, each by itself: what is wrong with one does not keep the others from being read. */
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

/** Reads several reports, all of them or none: throws an `OperatorError` that says what is wrong with each. */
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
    throw cannotUse(path, isMissing ? 'there is no such file' : systemReason(error), error)
  }
}

async function decompress(bytes: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = `it holds more than ${maxBytes} bytes`
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

/** What is not as a schema says. The deepest error says what is wrong; those above it only that something below is. */
export function describeViolation(errors: readonly ErrorObject[]): string {
  const [deepest] = errors.toSorted((left, right) => right.instancePath.length - left.instancePath.length)
  const place = deepest === undefined || deepest.instancePath === '' ? 'the report' : deepest.instancePath.slice(1)
  return `${place} ${deepest?.message ?? 'is not as the schema says'}`
}

/** That a report cannot be used, and why: the end of a sentence in which the caller names it. */
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
