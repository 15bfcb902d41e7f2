import { textFromBytes } from '../byte-text.ts'

const DEFAULT_MAX_BYTES = 64 * 1024

/** Collects output of any size: its start, its end, and the number of bytes between them. */
export class BoundedOutput {
  /** Maximum bytes of the start, and of the end. */
  readonly #maxHalfBytes: number
  readonly #head: Buffer[] = []
  readonly #tail: Buffer[] = []
  #headBytes = 0
  #tailBytes = 0
  #leftOutBytes = 0

  constructor(maxBytes: number = DEFAULT_MAX_BYTES) {
    this.#maxHalfBytes = Math.floor(maxBytes / 2)
  }

  add(chunk: Buffer): void {
    const missing = Math.min(this.#maxHalfBytes - this.#headBytes, chunk.length)
    if (missing > 0) this.#head.push(chunk.subarray(0, missing))
    this.#headBytes += missing
    if (missing < chunk.length) this.#addToTail(chunk.subarray(missing))
  }

  #addToTail(chunk: Buffer): void {
    this.#tail.push(chunk)
    this.#tailBytes += chunk.length
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      const excess = this.#tailBytes - this.#maxHalfBytes
      if (excess <= 0) return
      if (excess < first.length) this.#tail[0] = first.subarray(excess)
      else this.#tail.shift()
      const dropped = Math.min(excess, first.length)
      this.#tailBytes -= dropped
      this.#leftOutBytes += dropped
    }
  }

  /**
   * The output, or both ends with a line between them, decoded by `textFromBytes`. Cuts at line boundaries if possible,
   * so that no partial secret escapes redaction.
   */
  text(): string {
    const head = Buffer.concat(this.#head)
    const tail = Buffer.concat(this.#tail)
    if (this.#leftOutBytes === 0) return textFromBytes(Buffer.concat([head, tail]))
    const start = withoutCutEnd(head)
    const end = withoutCutStart(tail)
    const leftOut = this.#leftOutBytes + head.length - start.length + tail.length - end.length
    const opening = start.at(-1) === LINE_FEED ? '' : '\n'
    return `${textFromBytes(start)}${opening}[${leftOut} bytes left out]\n${textFromBytes(end)}`
  }
}

const LINE_FEED = 0x0a

/** Maximum bytes of a character before its last one. */
const MAX_PARTIAL_BYTES = 3

/** Removes a partial line, or otherwise a partial character, at the end. */
function withoutCutEnd(bytes: Buffer): Buffer {
  const lastLine = bytes.lastIndexOf(LINE_FEED) + 1
  if (lastLine > 0) return bytes.subarray(0, lastLine)
  for (let back = 1; back <= Math.min(MAX_PARTIAL_BYTES, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return lengthOfCharacter(byte) > back ? bytes.subarray(0, -back) : bytes
  }
  return bytes
}

/** Removes a partial line, or otherwise a partial character, at the start. */
function withoutCutStart(bytes: Buffer): Buffer {
  const secondLine = bytes.indexOf(LINE_FEED) + 1
  if (secondLine > 0 && secondLine < bytes.length) return bytes.subarray(secondLine)
  let start = 0
  while (start < MAX_PARTIAL_BYTES && isContinuation(bytes[start] ?? 0)) start++
  return bytes.subarray(start)
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** Length of the UTF-8 character that starts with this byte. */
function lengthOfCharacter(byte: number): number {
  if (byte >= 0xf0) return 4
  if (byte >= 0xe0) return 3
  return byte >= 0xc0 ? 2 : 1
}
