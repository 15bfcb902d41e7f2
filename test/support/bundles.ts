import { put } from './contract.ts'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './temporary.ts'
import { zipDirectory } from './zip-bytes.ts'

/** Writes files by path into a new directory and returns it. */
export function filesIn(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory()
  put(root, files)
  return root
}

/** Packs files with the real `tar`, or as zip, which the name of the archive chooses, and returns the archive's path. */
export function pack(name: string, files: Readonly<Record<string, string>>): string {
  return packDirectory(name, filesIn(files))
}

export function packDirectory(name: string, root: string): string {
  const archive = join(temporaryDirectory(), name)
  if (name.endsWith('.zip')) writeFileSync(archive, zipDirectory(root))
  else execFileSync('tar', [name.endsWith('.tar') ? '-cf' : '-czf', archive, '-C', root, '.'])
  return archive
}

/** Serves on loopback until the test is over; the address has no slash at its end. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return `http://127.0.0.1:${address.port}`
}

/** Serves one file at every path. */
export function serveFile(path: string): Promise<string> {
  return serve((_request, response) => void response.end(readFileSync(path)))
}

/** The checksum of a file as the command line takes it. */
export function checksumOfFile(path: string): string {
  return `sha256:${createHash('sha256').update(readFileSync(path)).digest('hex')}`
}
