import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { bundle } from './bundle.ts'

const NOBODY = 65534

/**
 * Runs a TypeScript module as the user nobody, or another one, and returns what it prints as JSON. The module gets the arguments in
 * `process.argv` from index 2 on. Only root can do that.
 */
export async function runAsNobody(text: string, args: readonly string[], uid: number = NOBODY): Promise<unknown> {
  const { file, remove } = await bundle(text)
  chmodSync(dirname(file), 0o755)
  const { stdout, stderr, status } = spawnSync(process.execPath, [file, ...args], {
    uid,
    gid: NOBODY,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  remove()
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The result of a function with only the rights of an ordinary user: root runs as the account nobody meanwhile. */
export async function asOrdinaryUser<T>(work: () => T | Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work()
  process.setegid?.(NOBODY)
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}
