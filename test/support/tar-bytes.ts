/** One entry of a tar archive, as raw as the format allows. */
export interface TarEntry {
  readonly name: string
  /** The type flag: `0` file, `1` hard link, `2` symbolic link, `3` and `4` devices, `5` directory, `6` fifo, … */
  readonly type?: string
  readonly content?: string | Buffer
  readonly link?: string
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
  /** Seconds since 1970. */
  readonly mtime?: number
  /** What the header says instead of the length of the content. */
  readonly size?: number
}

/** Writes a tar archive byte by byte, however hostile. @see https://www.gnu.org/software/tar/manual/html_node/Standard.html */
export function tarBytes(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(entryBytes), Buffer.alloc(1024)])
}

/** A pax extended header with these records, for the entry that follows it. */
export function paxHeader(records: Readonly<Record<string, string>>): TarEntry {
  return { name: 'PaxHeader', type: 'x', content: Object.entries(records).map(paxRecord).join('') }
}

function paxRecord([key, value]: readonly [string, string]): string {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (length !== Buffer.byteLength(rest) + String(length).length)
    length = Buffer.byteLength(rest) + String(length).length
  return `${length}${rest}`
}

function entryBytes({
  name,
  type = '0',
  content = '',
  link = '',
  mode = 0o644,
  uid = 0,
  gid = 0,
  mtime = 0,
  size,
}: TarEntry): Buffer[] {
  const body = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(octal(mode, 7), 100)
  header.write(octal(uid, 7), 108)
  header.write(octal(gid, 7), 116)
  header.write(octal(size ?? body.length, 11), 124)
  header.write(octal(mtime, 11), 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(link, 157, 100)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
