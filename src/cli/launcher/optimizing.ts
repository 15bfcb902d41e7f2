import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import type { PolicySource } from '../../policy/fetch/files.ts'

/** V8's default budget: bytes of bytecode that a function runs before it may be optimised. */
const USUAL_BUDGET = 67_584
const LATE_BUDGET = 500_000

/** Above this number of resources, optimised code pays off. */
const MANY_RESOURCES = 1000

/** Above this size of a policy, the heap grows by less between collections: 0.5 GB instead of 0.8 for 100,000 files, in the same time. */
const LARGE_BYTES = 4_000_000
const GROWING_PERCENT = 100

/** V8 12, of Node 22, and later have no such budget and complain about the flag on standard error. */
const HAS_BUDGET = Number.parseInt(process.versions.v8, 10) < 12

/**
 * Raises the budget: most runs end before optimised code pays off. Set only after the start, since V8 rejects cached
 * code with other flags.
 */
export function optimizeLate(): void {
  if (HAS_BUDGET) setFlagsFromString(`--interrupt-budget=${LATE_BUDGET}`)
}

/** Policy files, of which a large one makes this process save memory from then on. */
export function savingMemory(source: PolicySource): PolicySource {
  return {
    ...source,
    async read(file) {
      const read = await source.read(file)
      if ('bytes' in read && read.bytes.length > LARGE_BYTES)
        setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
      return read
    },
  }
}

/** Restores V8's default budget for policies with many resources. */
export function optimizeFor(resources: number): void {
  if (HAS_BUDGET && resources > MANY_RESOURCES) setFlagsFromString(`--interrupt-budget=${USUAL_BUDGET}`)
}
