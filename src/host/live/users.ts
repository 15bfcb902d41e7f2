import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { textFromBytes } from '../byte-text.ts'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { endWithUs } from './end-with-us.ts'
import { readWhole } from './read-whole.ts'
import { systemEnvironment } from './system-programs.ts'
import { errorCode, provesAbsence, unreadable } from './system-error.ts'

/** Sufficient for a million accounts. */
const LARGEST_DATABASE_BYTES = 128 * 1024 * 1024

const GETENT_TIMEOUT_MS = 10_000

// Exit code of getent for a missing key. @see getent(1)
const NO_SUCH_KEY = 2

/** A database with its file and its getent name. */
export interface Database {
  readonly file: string
  readonly service: 'passwd' | 'group'
  /** Search path of getent; the system directories by default, tests override it. */
  readonly searchPath?: string
}

/** Names and ids of one database. The file is parsed once; names missing in it are looked up in the system once each. */
export interface Accounts {
  id(name: string): Reading<number | null> | Promise<Reading<number | null>>
  /** The display name of an id, from the file only. */
  name(id: number): string | undefined
  /** The name of an id; `null` if it is proven to be nameless. */
  findName(id: number): Reading<string | null> | Promise<Reading<string | null>>
  /** Checks before the next use whether the file has changed. */
  forget(): void
}

interface Account {
  readonly name: string
  readonly id: number
}

interface Entries {
  readonly stamp: string
  readonly ids: ReadonlyMap<string, number>
  readonly names: ReadonlyMap<number, string>
}

/**
 * Reads the user or group database. The file takes precedence, as in the usual name service order; directories such as
 * LDAP are queried with getent, or skipped without it. Missing names are looked up again after a change of the file, so
 * that accounts created by earlier resources are found.
 */
export function openAccounts(database: Database): Accounts {
  const { file } = database
  const asked = new Map<string, Promise<Reading<Account | null>>>()
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

  function answerTo(key: string): Promise<Reading<Account | null>> {
    const earlier = asked.get(key)
    if (earlier !== undefined) return earlier
    const answer = askGetent(database, key)
    asked.set(key, answer)
    return answer
  }

  return {
    id(name) {
      const current = load()
      if (current.kind === 'unknown') return current
      const id = current.value.ids.get(name) ?? findAgain(reload(), ({ ids }) => ids.get(name))
      if (typeof id === 'number') return known(id)
      // Invalid in every database, and getent would read it as an option, another field or an id.
      if (name === '' || /^[-+]|[:\n\0]|^\s*\d+$/.test(name)) return id ?? known(null)
      return id ?? answerTo(name).then((answer) => pick(answer, (account) => account.id))
    },
    name(id) {
      const current = load()
      return current.kind === 'known' ? current.value.names.get(id) : undefined
    },
    findName(id) {
      const current = load()
      if (current.kind === 'unknown') return current
      const name = current.value.names.get(id) ?? findAgain(reload(), ({ names }) => names.get(id))
      if (typeof name === 'string') return known(name)
      return (
        name ??
        answerTo(String(id)).then((answer) =>
          // getent treats digits as a name too; such an account is not the owner of the id.
          pick(answer, (account) => (account.id === id ? account.name : null)),
        )
      )
    },
    forget() {
      asked.clear()
      isDoubtful = true
    },
  }
}

function findAgain<Found>(
  entries: Reading<Entries>,
  find: (entries: Entries) => Found | undefined,
): Found | Unknown | undefined {
  return entries.kind === 'unknown' ? entries : find(entries.value)
}

function pick<Part>(answer: Reading<Account | null>, part: (account: Account) => Part): Reading<Part | null> {
  if (answer.kind === 'unknown') return answer
  return known(answer.value === null ? null : part(answer.value))
}

function askGetent({ service, searchPath }: Database, key: string): Promise<Reading<Account | null>> {
  const env = { ...systemEnvironment(searchPath), LC_ALL: 'C' }
  const options = { timeout: GETENT_TIMEOUT_MS, killSignal: 'SIGKILL', cwd: '/', env } as const
  return new Promise((resolve) => {
    const child = execFile('getent', [service, key], options, (error, stdout) => {
      letGo()
      resolve(readAnswer(error, stdout, `getent ${service} ${key}`))
    })
    const letGo = endWithUs(() => void child.kill('SIGKILL'))
  })
}

function readAnswer(error: Error | null, stdout: string, command: string): Reading<Account | null> {
  if (error === null) {
    const account = parseLine(stdout.split('\n', 1).join(''))
    return account === undefined ? unknown('not-observable', `${command}: no id in the output`) : known(account)
  }
  if (errorCode(error) === 'ENOENT') return known(null)
  if ('killed' in error && error.killed === true) return unknown('timeout', `${command} timed out after 10 seconds`)
  const exitCode = 'code' in error ? error.code : undefined
  return exitCode === NO_SUCH_KEY ? known(null) : unknown('not-observable', `${command}: exit code ${String(exitCode)}`)
}

function readEntries(file: string): Reading<Entries> {
  const stamp = stampOf(file)
  try {
    return known({ stamp, ...parseEntries(textFromBytes(readWhole(file, LARGEST_DATABASE_BYTES))) })
  } catch (error) {
    // Without the file there are no local accounts, as in some container images.
    return provesAbsence(error) ? known({ stamp, ids: new Map(), names: new Map() }) : unreadable(error, file)
  }
}

/** Changes with every change of the file. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'absent' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeMs}`
}

/** Parses passwd(5) or group(5); both have name and id as first and third field. Of duplicates, the first one is used. */
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

function parseLine(line: string): Account | undefined {
  const [name = '', , id = ''] = line.split(':')
  // Lines that start with a plus or minus sign refer to NIS.
  if (name === '' || /^[-+#]/.test(name) || !/^[0-9]+$/.test(id)) return undefined
  return { name, id: Number(id) }
}
