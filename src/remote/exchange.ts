import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { endWithUs } from '../host/live/end-with-us.ts'
import { killTree } from '../host/live/kill-tree.ts'
import { errorCode } from '../host/live/system-error.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { LARGEST_REPORT_BYTES } from '../report/stored/read-report.ts'

/** Maximum standard error text kept for messages, in characters. */
const KEPT_CHARACTERS = 8192

/** Time for a program to exit after its input ended, in milliseconds. */
const FAREWELL_MS = 5000

export type ExchangeEnd =
  | { readonly kind: 'ended'; readonly exitCode: number | null; readonly said: string }
  | { readonly kind: 'not-started'; readonly reason: string }

/** Streams of a remote command. */
export interface Exchange {
  readonly reader: ByteReader
  /** Resolves when there is room for more. Data that is no longer read is dropped. */
  readonly write: (bytes: string | Uint8Array) => Promise<void>
  /** Writes the contents of a file. */
  readonly writeFile: (path: string) => Promise<void>
  /** Closes the input and waits for the exit; kills a program that does not exit. */
  readonly end: () => Promise<ExchangeEnd>
  /** Kills it at once. */
  readonly kill: () => void
  /** Kills it and waits for its exit, but not for child processes that may hold its streams open. */
  readonly abandon: () => Promise<void>
}

/**
 * Starts the program of a carrier in its own process group: Ctrl-C in the terminal reaches only driftgate, which
 * forwards it.
 */
export function startExchange([program, ...args]: readonly [string, ...string[]]): Exchange {
  const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const letGo = endWithUs(() => child.kill('SIGTERM'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS)
  })
  // The exit reports the reason of a write error.
  child.stdin.on('error', () => undefined)
  child.stdout.on('error', () => undefined)
  const ended = endOfExchange(child, program, () => said).finally(letGo)
  const end = async (): Promise<ExchangeEnd> => {
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS)
    // Drain further output, so that the program can exit.
    child.stdout.resume()
    const how = await ended
    clearTimeout(timer)
    return how
  }
  return {
    reader: createByteReader(child.stdout, LARGEST_REPORT_BYTES),
    write: (bytes) => writeBytes(child.stdin, bytes),
    async writeFile(path) {
      for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
        if (!child.stdin.writable) return
        await writeBytes(child.stdin, chunk as Uint8Array)
      }
    },
    end,
    kill: () => void child.kill('SIGTERM'),
    async abandon() {
      // Including child processes, such as a proxy.
      killTree(child)
      await end()
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    },
  }
}

function writeBytes(stream: Writable, bytes: string | Uint8Array): Promise<void> {
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
      // Read the rest of standard error, unless another process holds the pipe open.
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
