import type { Run } from '../../model/run.ts'

/** The file beside the stored runs that says what is in them. */
export const INDEX_NAME = 'index.ndjson'

const STORED = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z-[0-9a-z]{1,8}\.json\.gz$/

const TEMPORARY = /^\.(?:index\.ndjson|\d{8}T\d{6}\.\d{3}Z-[0-9a-z]{1,8}\.json\.gz)\.driftgate-[0-9a-f]{16}$/

const ID_CHARACTERS = 8

/** What people call a run: the beginning of its id. */
export function shortId(runId: string): string {
  return runId.slice(0, ID_CHARACTERS)
}

/** The name of a run's file: when it started, so that names sort by time, and the beginning of its id. */
export function storedName({ run }: Run): string {
  const time = run.startedAt.replaceAll(/[-:]/g, '')
  const id = run.id.toLowerCase().replaceAll(/[^0-9a-z]/g, '')
  return `${time}-${id.slice(0, ID_CHARACTERS) || 'run'}.json.gz`
}

/** When the run of a file of ours started, ISO 8601 in UTC; undefined for every other name. */
export function timeInName(name: string): string | undefined {
  const [, year, month, day, hour, minute, second] = STORED.exec(name) ?? []
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
}

/** Whether a name is that of a file of the history that is not complete yet. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}
