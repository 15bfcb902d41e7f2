/** Reads a stream as lines and blocks of known length. */
export interface ByteReader {
  /**
   * Next line without its end; undefined at the end of the stream. Throws a `RangeError` for a line above the limit.
   */
  readonly line: () => Promise<string | undefined>
  /** Next block of this length; undefined if the stream ends before. */
  readonly bytes: (length: number) => Promise<Buffer | undefined>
  /** Start of the last non-empty lines, and of the text after the last line end. */
  readonly lastLines: () => string
}

const LINES_KEPT = 5
const CHARACTERS_KEPT = 500

const LINE_FEED = 0x0a

/** Creates a reader of a byte stream, whose errors are passed on. */
export function createByteReader(stream: AsyncIterable<unknown>, longestLine: number): ByteReader {
  const chunks = stream[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const last: string[] = []
  const keep = (bytes: Buffer): void => {
    const line = bytes.toString('utf8', 0, CHARACTERS_KEPT).trim()
    if (line !== '') last.push(line)
    if (last.length > LINES_KEPT) last.shift()
  }
  const more = async (): Promise<Buffer | undefined> => {
    const next = await chunks.next()
    return next.done === true ? undefined : Buffer.from(next.value as Uint8Array)
  }
  /** Concatenates all pieces once. */
  const upTo = async (endIn: (chunk: Buffer, before: number) => number | undefined): Promise<Buffer | undefined> => {
    const pieces: Buffer[] = []
    let size = 0
    for (let chunk: Buffer | undefined = rest; chunk !== undefined; chunk = await more()) {
      const end = endIn(chunk, size)
      if (end !== undefined) {
        rest = chunk.subarray(end)
        return Buffer.concat([...pieces, chunk.subarray(0, end)])
      }
      pieces.push(chunk)
      size += chunk.length
    }
    keep(Buffer.concat(pieces).subarray(0, CHARACTERS_KEPT))
    rest = Buffer.alloc(0)
    return undefined
  }
  return {
    async line() {
      const line = await upTo((chunk, before) => {
        const end = chunk.indexOf(LINE_FEED)
        if (before + (end < 0 ? chunk.length : end) > longestLine) throw new RangeError('a line is too long')
        return end < 0 ? undefined : end + 1
      })
      if (line !== undefined) keep(line)
      return line?.toString('utf8', 0, line.length - 1)
    },
    lastLines: () => last.join('\n'),
    bytes: (length) => upTo((chunk, before) => (before + chunk.length >= length ? length - before : undefined)),
  }
}
