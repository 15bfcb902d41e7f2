// Archives whose bytes follow from what is in them: entries in order, everything root's, one time for all.
import { gzipSync } from 'node:zlib'

const BLOCK = 512

/** A tar of entries `{ path, mode, bytes }`, or `{ path, mode }` for a directory. Parents that are missing are made. */
export function tarOf(entries, seconds) {
  const known = new Map()
  for (const entry of entries) {
    const parts = entry.path.split('/')
    for (let length = 1; length < parts.length; length++) {
      const path = parts.slice(0, length).join('/')
      if (!known.has(path)) known.set(path, { path, mode: 0o755 })
    }
    known.set(entry.path, entry)
  }
  const all = [...known.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
  return Buffer.concat([...all.flatMap((entry) => tarEntry(entry, seconds)), Buffer.alloc(2 * BLOCK)])
}

function tarEntry({ path, mode, bytes }, seconds) {
  const name = bytes === undefined ? `./${path}/` : `./${path}`
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for this archive: ${name}`)
  const header = Buffer.alloc(BLOCK)
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(bytes?.length ?? 0, 12), 124)
  header.write(octal(seconds, 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(bytes === undefined ? '5' : '0', 156)
  header.write('ustar\x0000root', 257, 'latin1')
  header.write('root', 297)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  )
  if (bytes === undefined) return [header]
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
}

/** Compressed without a name and a time, as `gzip -9n` does. */
export function gzipped(bytes) {
  return gzipSync(bytes, { level: 9 })
}

/** An archive of `ar` with members `{ name, bytes }`, which is what a package of Debian is. */
export function arOf(members, seconds) {
  const parts = members.flatMap(({ name, bytes }) => [
    Buffer.from(
      `${name.padEnd(16)}${String(seconds).padEnd(12)}0     0     100644  ${String(bytes.length).padEnd(10)}\`\n`,
    ),
    bytes,
    Buffer.from(bytes.length % 2 === 0 ? '' : '\n'),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
