import { dayOf } from '../../../model/duration.ts'
import { unlessAbsent } from '../../../host/if-there.ts'
import {
  closeSync,
  constants,
  linkSync,
  openSync,
  type PathLike,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { AccountCommand, AccountControl } from '../accounts.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import { type AccountSettings, parseAccountSettings } from '../live/account-settings.ts'
import { type AccountPlaces, placesFor } from '../live/add-account.ts'
import { editRecords } from '../live/edit-records.ts'
import { type AccountTexts, EDITED_FILES } from '../live/record-texts.ts'
import { nameFromBytes } from '../../../host/live/file-name.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { openDirectory } from '../../../host/live/open-directory.ts'
import type { Place } from '../../../host/live/place.ts'
import type { Site } from '../../../host/live/site.ts'
import { errorCode, provesAbsence, writeFailure } from '../../../host/live/system-error.ts'
import { writeFile } from '../../../host/live/write-file.ts'
import { stageHome } from './new-home.ts'

const LARGEST_BYTES = 16 * 1024 * 1024

/** What a fix may do to the accounts of a system that does not run: their records, with the locks that the tools of shadow take. */
export function createAccountControlAtRest(site: Site, files: MachineFiles): AccountControl {
  return { change: (commands) => whileLocked(site, () => change(site, files, commands)) }
}

async function change(site: Site, files: MachineFiles, commands: readonly AccountCommand[]): Promise<ApplyOutcome> {
  const before = readTexts(files)
  const settings = readSettings(files)
  if (settings.kind === 'unknown') return { kind: 'failed', message: settings.detail }
  let after = before
  for (const command of commands) {
    const edited = editRecords(after, inBytes(command), settings.value)
    if (edited.kind === 'failed') return edited
    after = edited.texts
  }
  const places = commands
    .filter(([program]) => program === 'useradd')
    .map((each) => {
      const [, ...args] = inBytes(each)
      return placesFor(after, { name: args.at(-1) ?? '', options: args.slice(0, -1) }, settings.value)
    })
  return withPlaces({ site, files }, places, () => writeTexts({ site, files }, before, after))
}

interface Below {
  readonly site: Site
  readonly files: MachineFiles
}

/** Makes what a new account gets beside its records, and has these written when nothing can fail any more but they. */
async function withPlaces(
  below: Below,
  [first, ...others]: readonly AccountPlaces[],
  write: () => Promise<ApplyOutcome>,
): Promise<ApplyOutcome> {
  if (first === undefined) return write()
  const { uid, gid, home, mailbox } = first
  const attributes = { uid, gid, mode: home?.mode ?? 0 }
  const made =
    home === undefined
      ? undefined
      : await stageHome(below.site, below.files, {
          path: decodeName(home.path),
          skeleton: decodeName(home.skeleton),
          attributes,
        })
  if (made?.kind === 'failed') return made
  try {
    const placed = made?.commit()
    if (placed?.kind === 'failed') return placed
    const sent =
      mailbox === undefined ? undefined : await makeMailbox(below, { ...mailbox, path: decodeName(mailbox.path), uid })
    return sent?.kind === 'failed' ? sent : await withPlaces(below, others, write)
  } finally {
    await made?.end()
  }
}

function decodeName(bytes: string): string {
  return nameFromBytes(Buffer.from(bytes, 'latin1'))
}

/** As useradd does it: one that is there stays, and without a directory for it no home is made. */
async function makeMailbox(
  { site, files }: Below,
  { path, ...attributes }: FileAttributes & { readonly path: string },
): Promise<ApplyOutcome> {
  const isWanted = isThere(files, dirname(path)) && !isThere(files, path)
  return isWanted ? writeFile(path, { kind: 'bytes', bytes: new Uint8Array() }, attributes, site) : { kind: 'done' }
}

function isThere(files: MachineFiles, path: string): boolean {
  try {
    return files.lstat(path) !== undefined
  } catch (error) {
    if (provesAbsence(error)) return false
    throw error
  }
}

/**
 * A group is there with its record in group, and an account with that in passwd, so what they need is written before: what
 * breaks off can be done again.
 */
const WRITTEN_FILES = [
  'shadow',
  'gshadow',
  'subuid',
  'subgid',
  'group',
  'passwd',
] as const satisfies (typeof EDITED_FILES)[number][]

async function writeTexts({ site, files }: Below, before: AccountTexts, after: AccountTexts): Promise<ApplyOutcome> {
  for (const name of WRITTEN_FILES) {
    const text = after[name]
    if (text === undefined || text === before[name]) continue
    const path = `/etc/${name}`
    const stats = files.lstat(path)
    if (stats?.isFile() !== true) return { kind: 'failed', message: `${path} is not a regular file` }
    const { uid, gid, mode } = stats
    const attributes = { uid, gid, mode: mode & PERMISSIONS }
    const written = await writeFile(path, { kind: 'bytes', bytes: Buffer.from(text, 'latin1') }, attributes, site)
    if (written.kind === 'failed') return written
  }
  return { kind: 'done' }
}

const PERMISSIONS = 0o7777

/** Files may hold bytes that are no UTF-8, so a character of theirs is a byte, and so it is in what is put into them. */
function inBytes([program, ...args]: AccountCommand): AccountCommand {
  return [program, ...args.map((text) => Buffer.from(text).toString('latin1'))]
}

function readTexts(files: MachineFiles): AccountTexts {
  return Object.fromEntries(
    EDITED_FILES.flatMap((name) => {
      const text = readIfThere(files, `/etc/${name}`)
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

function readSettings(files: MachineFiles): Reading<AccountSettings> {
  const [defs = '', defaults = ''] = ['/etc/login.defs', '/etc/default/useradd'].map((path) => readIfThere(files, path))
  const read = parseAccountSettings(defs, defaults)
  return read.kind === 'unknown' ? read : known({ ...read.value, today: dayOf(Date.now()) })
}

function readIfThere(files: MachineFiles, path: string): string | undefined {
  return unlessAbsent(() => files.whole(path, LARGEST_BYTES).toString('latin1'))
}

const LOCK_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

/** The lock files hold the number of the process; one of a process that is gone blocks no process. @see lckpwdf(3), useradd(8) */
async function whileLocked({ root }: Site, work: () => Promise<ApplyOutcome>): Promise<ApplyOutcome> {
  const opened = openDirectory('/etc', { root })
  if (opened.kind !== 'open') return { kind: 'failed', message: opened.message }
  const { directory } = opened
  const taken: string[] = []
  try {
    for (const name of EDITED_FILES) {
      const lock = `${name}.lock`
      if (!takeLock(directory, lock))
        return { kind: 'failed', message: `another program is changing accounts: it holds /etc/${lock}` }
      taken.push(lock)
    }
    return await work()
  } catch (error) {
    return writeFailure(error, 'cannot change the accounts')
  } finally {
    for (const lock of taken) unlinkSync(directory.entry(lock))
    directory.close()
  }
}

/** As the tools of shadow do: the number is in the file before that becomes the lock, so that a kill leaves none without one. */
function takeLock(directory: Place, name: string): boolean {
  const own = directory.entry(name.replace(/lock$/, String(process.pid)))
  const descriptor = openSync(own, LOCK_FLAGS, 0o600)
  try {
    writeFileSync(descriptor, String(process.pid))
    return linkLock(directory, { own, name })
  } finally {
    closeSync(descriptor)
    unlinkSync(own)
  }
}

function linkLock(directory: Place, { own, name }: { readonly own: PathLike; readonly name: string }): boolean {
  for (const isLast of [false, true]) {
    try {
      linkSync(own, directory.entry(name))
      return true
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      if (isLast || isHeld(directory, name)) return false
      unlinkSync(directory.entry(name))
    }
  }
  return false
}

function isHeld(directory: Place, name: string): boolean {
  const place = directory.child(name)
  try {
    const pid = place.stats.isFile() ? Number.parseInt(readFileSync(place.handle, 'utf8'), 10) : Number.NaN
    // Whose number it is cannot be told.
    if (!(pid > 0)) return true
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  } finally {
    place.close()
  }
}
