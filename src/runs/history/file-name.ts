import type { Run } from '../../model/run.ts'

/** Index of the stored runs. */
export const INDEX_NAME = 'index.ndjson'

const STORED = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z-[0-9a-z]{1,8}\.json\.gz$/

const TEMPORARY = /^\.(?:index\.ndjson|\d{8}T\d{6}\.\d{3}Z-[0-9a-z]{1,8}\.json\.gz)\.driftgate-[0-9a-f]{16}$/

const ID_CHARACTERS = 8

/** Short id for display. */
export function shortId(runId: string): string {
  return runId.slice(0, ID_CHARACTERS)
}

/** File name of a run: its start time, so that names sort by time, and an id prefix. */
export function storedName({ run }: Run): string {
  const time = run.startedAt.replaceAll(/[-:]/g, '')
  const id = run.id.toLowerCase().replaceAll(/[^0-9a-z]/g, '')
  return `${time}-${id.slice(0, ID_CHARACTERS) || 'run'}.json.gz`
}

/** Start time from a stored run's file name, ISO 8601 in UTC; undefined for other names. */
export function timeInName(name: string): string | undefined {
  const [, year, month, day, hour, minute, second] = STORED.exec(name) ?? []
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
}

/** True for the name of an incomplete history file. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}
