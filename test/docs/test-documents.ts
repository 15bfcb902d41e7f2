import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasProgram } from '../support/programs.ts'
import { needsRoot } from '../support/temporary.ts'
import { neededBy, PROJECT, readDocument } from './documents.ts'
import { execute } from './execute.ts'
import { createMachine } from './machine.ts'

/**
 * Declares a test of each document that runs its commands. After a change of behaviour `npx vitest run test/docs -u` writes what the
 * commands print now; review it as behaviour.
 */
export function testDocuments(documents: readonly string[]): void {
  const withNeeds = documents.map((path) => {
    const missing = neededBy(readDocument(path)).filter((need) => (need === 'root' ? needsRoot : !hasProgram(need)))
    return { path, needs: missing.length === 0 ? undefined : `needs ${missing.join(', ')}` }
  })
  test.for(withNeeds)(
    'every command of $path prints what it says',
    { timeout: 240_000 },
    async ({ path, needs }, { skip }) => {
      skip(needs !== undefined, needs)
      const actual = execute(readDocument(path), createMachine())
      await expect(actual).toMatchFileSnapshot(join(PROJECT, path))
    },
  )
}
