import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { endWithUs } from '../host/live/end-with-us.ts'
import { killTree } from '../host/live/kill-tree.ts'
import { errorCode } from '../host/live/system-error.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { LARGEST_REPORT_BYTES } from '../report/stored/read-report.ts'

/** How much of what the other program says on standard error is kept for a message. */
const KEPT_CHARACTERS = 8192

/** How long a program may take to end after everything was said, in milliseconds. */
const FAREWELL_MS = 5000

/** How the program of a carrier ended. */
export type ExchangeEnd =
  | { readonly kind: 'ended'; readonly exitCode: number | null; readonly said: string }
  | { readonly kind: 'not-started'; readonly reason: string }

/** The three streams of a command on the far side. */
export interface Exchange {
  readonly reader: ByteReader
  /** Resolves when there is room for more. What is no longer read is dropped. */
  readonly write: (bytes: string | Uint8Array) => Promise<void>
  /** The same with the bytes of a file. */
  readonly writeFile: (path: string) => Promise<void>
  /** Says that nothing more comes, and gives how it ended; a program that stays is killed. */
  readonly end: () => Promise<ExchangeEnd>
  /** Ends it at once. */
  readonly kill: () => void
  /** The same, and waits for its end, but for nothing that it has started and that may still hold its streams. */
  readonly abandon: () => Promise<void>
}

/**
 * Starts the program of a carrier. It is the leader of a group of its own: the Ctrl-C of a terminal is for us alone, who pass on what it
 * means.
 */
export function startExchange([program, ...args]: readonly [string, ...string[]]): Exchange {
  const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const letGo = endWithUs(() => child.kill('SIGTERM'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS)
  })
  // The writer learns nothing that its end does not say.
  child.stdin.on('error', () => undefined)
  child.stdout.on('error', () => undefined)
  const ended = endOfExchange(child, program, () => said).finally(letGo)
  const end = async (): Promise<ExchangeEnd> => {
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS)
    // Further output is ignored, and must not keep it from ending.
    child.stdout.resume()
    const how = await ended
    clearTimeout(timer)
    return how
  }
  return {
    reader: createByteReader(child.stdout, LARGEST_REPORT_BYTES),
    write: (bytes) => written(child.stdin, bytes),
    async writeFile(path) {
      for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
        if (!child.stdin.writable) return
        await written(child.stdin, chunk as Uint8Array)
      }
    },
    end,
    kill: () => void child.kill('SIGTERM'),
    async abandon() {
      // With what it has started, such as a proxy.
      killTree(child)
      await end()
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    },
  }
}

function written(stream: Writable, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.writable) resolve()
    else stream.write(bytes, () => resolve())
  })
}

function endOfExchange(
  child: ChildProcessWithoutNullStreams,
  program: string,
  said: () => string,
): Promise<ExchangeEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) {
        const reason = errorCode(error) === 'ENOENT' ? `${program} is not installed here` : error.message
        resolve({ kind: 'not-started', reason })
      }
    })
    child.once('exit', (exitCode) => {
      // Its last words, unless another process holds the other end of the pipe.
      const wait = new AbortController()
      const timer = setTimeout(() => wait.abort(), 200)
      void finished(child.stderr, { signal: wait.signal })
        .catch(() => undefined)
        .then(() => {
          clearTimeout(timer)
          resolve({ kind: 'ended', exitCode, said: said() })
        })
    })
  })
}
