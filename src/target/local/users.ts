import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { known, type Reading, unknown } from '../../core/observation.ts'
import { errorCode, provesAbsence, unreadable } from './system-error.ts'

const GETENT_TIMEOUT_MS = 10_000

// What getent exits with when the database has no such key. @see getent(1)
const NO_SUCH_KEY = 2

/** One of the two databases: where it lies and what getent calls it. */
export interface Database {
  readonly file: string
  readonly service: 'passwd' | 'group'
}

/** Names and ids of one database, parsed once; names the file does not hold are asked from the system once each. */
export interface Accounts {
  id(name: string): Reading<number | null> | Promise<Reading<number | null>>
  name(id: number): string | undefined
  /** Look whether the file has changed before it is used the next time. */
  forget(): void
}

interface Entries {
  readonly stamp: string
  readonly ids: ReadonlyMap<string, number>
  readonly names: ReadonlyMap<number, string>
}

/**
 * Reads a user or group database. The file comes first, as with the usual name service order; directories such as LDAP
 * are asked through getent, and where that is missing only the file counts. A name that was not found is searched again
 * once the file has changed, so an account made by an earlier resource is seen.
 */
export function openAccounts({ file, service }: Database): Accounts {
  const asked = new Map<string, Promise<Reading<number | null>>>()
  let entries: Reading<Entries> | undefined
  let isDoubtful = false

  function load(): Reading<Entries> {
    if (entries !== undefined && !isDoubtful) return entries
    return reload()
  }

  function reload(): Reading<Entries> {
    isDoubtful = false
    if (entries?.kind === 'known' && entries.value.stamp === stampOf(file)) return entries
    asked.clear()
    entries = readEntries(file)
    return entries
  }

  return {
    id(name) {
      const current = load()
      if (current.kind === 'unknown') return current
      const id = current.value.ids.get(name) ?? findAgain(reload(), name)
      if (typeof id !== 'number') return id ?? ask(asked, service, name)
      return known(id)
    },
    name(id) {
      const current = load()
      return current.kind === 'known' ? current.value.names.get(id) : undefined
    },
    forget() {
      asked.clear()
      isDoubtful = true
    },
  }
}

function findAgain(entries: Reading<Entries>, name: string): number | Reading<never> | undefined {
  return entries.kind === 'unknown' ? entries : entries.value.ids.get(name)
}

function ask(
  asked: Map<string, Promise<Reading<number | null>>>,
  service: Database['service'],
  name: string,
): Reading<number | null> | Promise<Reading<number | null>> {
  // No database can hold such a name, and getent would take it for an option or another field.
  if (name === '' || /^[-+]|[:\n\0]/.test(name)) return known(null)
  const earlier = asked.get(name)
  if (earlier !== undefined) return earlier
  const answer = askGetent(service, name)
  asked.set(name, answer)
  return answer
}

function askGetent(service: Database['service'], name: string): Promise<Reading<number | null>> {
  const options = { timeout: GETENT_TIMEOUT_MS, killSignal: 'SIGKILL', env: { ...process.env, LC_ALL: 'C' } } as const
  return new Promise((resolve) => {
    execFile('getent', [service, name], options, (error, stdout) => {
      resolve(readAnswer(error, stdout, `getent ${service} ${name}`))
    })
  })
}

function readAnswer(error: Error | null, stdout: string, command: string): Reading<number | null> {
  if (error === null) {
    const id = parseLine(stdout.split('\n', 1).join(''))?.id
    return id === undefined ? unknown('not-observable', `${command}: the answer has no id`) : known(id)
  }
  if (errorCode(error) === 'ENOENT') return known(null)
  if ('killed' in error && error.killed === true) return unknown('timeout', `${command}: no answer within 10 seconds`)
  const exitCode = 'code' in error ? error.code : undefined
  return exitCode === NO_SUCH_KEY ? known(null) : unknown('not-observable', `${command}: exit code ${String(exitCode)}`)
}

function readEntries(file: string): Reading<Entries> {
  const stamp = stampOf(file)
  try {
    return known({ stamp, ...parseEntries(readFileSync(file, 'utf8')) })
  } catch (error) {
    // A system without the file has no local accounts; a container image may well be like that.
    return provesAbsence(error) ? known({ stamp, ids: new Map(), names: new Map() }) : unreadable(error, file)
  }
}

/** Changes whenever the file does. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'absent' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeMs}`
}

/** Parses passwd(5) or group(5): name and id are the first and third field of both. The first of equal entries counts. */
export function parseEntries(text: string): { ids: ReadonlyMap<string, number>; names: ReadonlyMap<number, string> } {
  const ids = new Map<string, number>()
  const names = new Map<number, string>()
  for (const line of text.split('\n')) {
    const entry = parseLine(line)
    if (entry === undefined) continue
    if (!ids.has(entry.name)) ids.set(entry.name, entry.id)
    if (!names.has(entry.id)) names.set(entry.id, entry.name)
  }
  return { ids, names }
}

function parseLine(line: string): { name: string; id: number } | undefined {
  const [name = '', , id = ''] = line.split(':')
  // Lines that begin with a plus or minus sign refer to NIS and name nobody.
  if (name === '' || /^[-+#]/.test(name) || !/^[0-9]+$/.test(id)) return undefined
  return { name, id: Number(id) }
}
