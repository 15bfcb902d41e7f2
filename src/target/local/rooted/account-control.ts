import { closeSync, constants, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import process from 'node:process'
import type { ApplyOutcome } from '../../../core/decision.ts'
import type { AccountCommand, AccountControl } from '../../accounts.ts'
import { type AccountTexts, EDITED_FILES, editRecords, type LoginDefs } from '../accounts/edit-records.ts'
import type { MachineFiles } from '../machine-files.ts'
import { openDirectory } from '../open-directory.ts'
import type { Place } from '../place.ts'
import type { Site } from '../site.ts'
import { errorCode, provesAbsence, writeFailure } from '../system-error.ts'
import { writeFile } from '../write-file.ts'

const LARGEST_BYTES = 16 * 1024 * 1024

/** What a fix may do to the accounts of a system that does not run: their records, with the locks that the tools of shadow take. */
export function createAccountControlAtRest(site: Site, files: MachineFiles): AccountControl {
  return { change: (commands) => whileLocked(site, () => change(site, files, commands)) }
}

async function change(site: Site, files: MachineFiles, commands: readonly AccountCommand[]): Promise<ApplyOutcome> {
  const before = readTexts(files)
  let after = before
  for (const command of commands) {
    const edited = editRecords(after, inBytes(command), readDefs(files))
    if (edited.kind === 'failed') return edited
    after = edited.texts
  }
  for (const name of EDITED_FILES) {
    const text = after[name]
    if (text === undefined || text === before[name]) continue
    const path = `/etc/${name}`
    const stats = files.lstat(path)
    if (stats?.isFile() !== true) return { kind: 'failed', message: `${path} is no regular file` }
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

function readDefs(files: MachineFiles): LoginDefs {
  const lines = (readIfThere(files, '/etc/login.defs') ?? '').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, key = '', value = ''] = /^\s*(\w+)\s+(\d+)\s*$/.exec(line) ?? []
      return key === '' ? [] : [[key, Number(value)] as const]
    }),
  )
}

function readIfThere(files: MachineFiles, path: string): string | undefined {
  try {
    return files.whole(path, LARGEST_BYTES).toString('latin1')
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}

const LOCK_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** The lock files hold the number of the process; one of a process that is gone holds nobody up. @see lckpwdf(3), useradd(8) */
async function whileLocked({ root }: Site, work: () => Promise<ApplyOutcome>): Promise<ApplyOutcome> {
  const opened = openDirectory('/etc', { root })
  if (opened.kind !== 'open') return { kind: 'failed', message: opened.message }
  const { directory } = opened
  const taken: string[] = []
  try {
    for (const name of EDITED_FILES) {
      const lock = `${name}.lock`
      if (!takeLock(directory, lock))
        return { kind: 'failed', message: `another program changes accounts: it holds /etc/${lock}` }
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

function takeLock(directory: Place, name: string): boolean {
  for (const isLast of [false, true]) {
    try {
      const descriptor = openSync(directory.entry(name), LOCK_FLAGS, 0o600)
      writeSync(descriptor, String(process.pid))
      closeSync(descriptor)
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
