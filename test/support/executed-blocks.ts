import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { DRIFTGATE } from './driftgate.ts'

/** Executions of each block of the built program, by function and offset. Deterministic, unlike time. */
export type BlockCounts = ReadonlyMap<string, number>

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

/** What it executes depends on how long a machine takes. */
const OF_TIME = 'formatDuration'

/** Runs `driftgate` and counts what it executes. Throws an `Error` if it ends with another code than expected. */
export function executedBlocks(args: readonly string[], { cwd, code }: { cwd: string; code: number }): BlockCounts {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-blocks-'))
  try {
    const env = { PATH: process.env['PATH'], HOME: cwd, NODE_V8_COVERAGE: directory }
    // V8 counts no blocks in compiled code from a cache. A cache that was made with other flags is not used.
    const { status, stderr } = spawnSync(process.execPath, ['--no-flush-bytecode', DRIFTGATE, ...args], {
      cwd,
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    if (status !== code) throw new Error(`driftgate ended with ${status}: ${stderr.slice(0, 2000)}`)
    const counts = new Map<string, number>()
    const functions = readdirSync(directory)
      .flatMap((name) => (JSON.parse(readFileSync(join(directory, name), 'utf8')) as Coverage).result)
      .flatMap((script) => (script.url.includes('/dist/') ? script.functions : []))
    for (const { functionName, ranges } of functions.filter((each) => each.functionName !== OF_TIME)) {
      for (const [index, { startOffset, count }] of ranges.entries()) {
        const block = `${functionName} ${ranges[0]?.startOffset}, block ${index} at ${startOffset}`
        counts.set(block, (counts.get(block) ?? 0) + count)
      }
    }
    return counts
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Blocks whose executions grow faster than `n log n`, given the counts for n, 2 n and 4 n. */
export function fasterThanLinear(
  [first, second, third]: readonly [BlockCounts, BlockCounts, BlockCounts],
  n: number,
): readonly string[] {
  const found: string[] = []
  for (const [block, count] of third) {
    const middle = second.get(block) ?? 0
    const [earlier, later] = [middle - (first.get(block) ?? 0), count - middle]
    if (later > 2 * n && later > 2.5 * earlier) found.push(`${block}: ${earlier}, then ${later}`)
  }
  return found
}
