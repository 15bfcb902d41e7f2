import { readdirSync } from 'node:fs'
import type { Outcome } from '../driftgate.ts'

export function storedIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.json.gz'))
}

interface ListedRun {
  readonly run: string
  readonly exitCode: number
  readonly interrupted: boolean
  readonly summary: Readonly<Record<string, number>>
  readonly file: string
}

export async function listed(
  { run }: { readonly run: (...args: string[]) => Promise<Outcome> },
  ...more: string[]
): Promise<readonly ListedRun[]> {
  const { stdout } = await run('history', '--history', 'h', '--format', 'json', ...more)
  return JSON.parse(stdout).runs
}
