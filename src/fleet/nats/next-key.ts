import { type KeyObject, sign, verify } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { makeKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { enter, readAgent } from './connect.ts'
import { pemOf } from './home.ts'
import { agentHome } from './join.ts'
import { keyOfNkey, publicNkey, seedOf } from './nkey.ts'

/** Header with the announcement of a host's next key; not part of the message. */
export const NEXT_KEY_HEADER = 'Dg-Next-Key'

/** Creates the next key of this host if missing. Throws an `OperatorError`. */
export function makeNextKey(directory: string): void {
  const { nextKey } = agentHome(directory)
  change(directory, () => {
    if (!existsSync(nextKey)) replaceFile(nextKey, pemOf(makeKey()), { mode: 0o600 })
  })
}

/** Removes the next key. Throws an `OperatorError`. */
export function dropNextKey(directory: string): void {
  change(directory, () => rmSync(agentHome(directory).nextKey, { force: true }))
}

/**
 * Switches to the next key if the server accepts it; false if it does not yet, or without a next key. Throws an
 * `OperatorError`.
 */
export async function useNextKey(directory: string): Promise<boolean> {
  const { login, nextKey } = readAgent(directory)
  if (nextKey === undefined) return false
  try {
    const line = await enter({ ...login, seed: seedOf(nextKey) })
    await line.close()
  } catch (error) {
    if (error instanceof OperatorError) return false
    throw error
  }
  const home = agentHome(directory)
  change(directory, () => renameSync(home.nextKey, home.key))
  return true
}

function change(directory: string, work: () => void): void {
  attempt(`cannot change the key of this host in ${directory}`, work)
}

/** Announcement of a next key: the key, and its signature by the current one. */
export function announceKey(host: string, next: KeyObject, key: KeyObject): string {
  const name = publicNkey(next)
  return `${name} ${sign(null, announcementBytes(host, name), key).toString('base64')}`
}

/** The announced key; undefined if the host key has not signed it. */
export function announcedKey(text: string, host: string, key: KeyObject): string | undefined {
  const [name = '', signature = ''] = text.split(' ')
  if (keyOfNkey(name) === undefined) return undefined
  return verify(null, announcementBytes(host, name), key, Buffer.from(signature, 'base64')) ? name : undefined
}

function announcementBytes(host: string, name: string): Buffer {
  return Buffer.from(`driftgate-next-key-v1\n${host}\n${name}\n`)
}
