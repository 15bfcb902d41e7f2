import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'test/fixtures/captured'

/** What a real tool printed when `npm run record` ran it. */
export interface Captured {
  readonly command: readonly string[]
  /** The system it ran on, and what the tool said of its version. */
  readonly system: string
  readonly version: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export function captured(tool: string, version: string, situation: string): Captured {
  const text = readFileSync(join(FOLDER, tool, version, `${situation}.json`), 'utf8')
  const recorded = JSON.parse(text) as Captured & Record<'stdout' | 'stderr', readonly string[]>
  return { ...recorded, stdout: recorded.stdout.join('\n'), stderr: recorded.stderr.join('\n') }
}

/** The same of every version that was recorded, with its number, for `test.each`. Throws if no version was recorded. */
export function everyVersion(tool: string, situation: string): readonly (readonly [version: string, Captured])[] {
  const versions = readdirSync(join(FOLDER, tool)).filter((version) =>
    existsSync(join(FOLDER, tool, version, `${situation}.json`)),
  )
  if (versions.length === 0) throw new Error(`nothing is recorded of ${tool} in the situation ${situation}`)
  return versions.map((version) => [version, captured(tool, version, situation)])
}
