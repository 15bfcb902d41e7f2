import { known, type Reading, unknown } from '../../../model/observation.ts'
import { compareDebianVersions } from '../../../model/versions/debian.ts'
import type { PackageChange } from '../packages.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { endOf, type Tools } from './tools.ts'

const TIMEOUT_MS = 120_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Runs a package manager that only says what it would do; with one of these exit codes it has said it. */
export async function askTransaction(
  tools: Tools,
  argv: readonly [string, ...string[]],
  codes: readonly number[],
): Promise<Reading<string>> {
  const outcome = await runCommand({
    argv,
    workingDirectory: '/',
    environment: tools.environment,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
    signal: new AbortController().signal,
  })
  if (outcome.kind === 'not-started') return unknown('not-observable', outcome.message)
  if (outcome.kind === 'killed') return unknown('timeout', `${argv[0]}: ${outcome.reason}`)
  if (codes.includes(outcome.exitCode)) return known(outcome.stdout)
  return unknown('not-observable', `${argv[0]} exited with code ${outcome.exitCode}${endOf(outcome.stderr)}`)
}

/** What `apt-get --simulate` would do: `Inst NAME [OLD] (NEW ...)`, `Remv NAME [OLD]`, `Purg NAME [OLD]`. */
export function parseAptSimulation(text: string): readonly PackageChange[] {
  return text.split('\n').flatMap((line): readonly PackageChange[] => {
    const [, verb, name = '', old, next = ''] =
      /^(Inst|Remv|Purg) (\S+)(?: \[([^\]]*)\])?(?: \((\S+))?/.exec(line) ?? []
    if (verb === undefined) return []
    if (verb !== 'Inst') return [{ kind: 'remove', name }]
    if (old === undefined) return [{ kind: 'install', name, version: next }]
    return [{ kind: compareDebianVersions(next, old) < 0 ? 'downgrade' : 'upgrade', name, version: next }]
  })
}

/** The headings of the table of dnf(8), in the language C. */
const SECTIONS: readonly (readonly [heading: RegExp, kind: PackageChange['kind'] | undefined])[] = [
  [/^(?:Installing|Reinstalling)\b.*:$/, 'install'],
  [/^Upgrading\b.*:$/, 'upgrade'],
  [/^Downgrading\b.*:$/, 'downgrade'],
  [/^Removing\b.*:$/, 'remove'],
  [/^\S/, undefined],
]

/** What `dnf --assumeno` would do. A row is a name, architecture, version, repository and size; a long one goes on in the next line. */
export function parseDnfTable(text: string): readonly PackageChange[] {
  const changes: PackageChange[] = []
  let kind: PackageChange['kind'] | undefined
  for (const line of text.replaceAll(/^( \S+)\n {2,}/gm, '$1 ').split('\n')) {
    const section = SECTIONS.find(([heading]) => heading.test(line))
    if (section !== undefined) kind = section[1]
    else if (kind !== undefined) changes.push(...rowOf(line, kind))
  }
  return changes
}

function rowOf(line: string, kind: PackageChange['kind']): readonly PackageChange[] {
  const [first = '', second = '', third = ''] = line.trim().split(/\s+/)
  // What is obsoleted goes.
  if (first === 'replacing') return [{ kind: 'remove', name: second.replace(/\.[^.]+$/, '') }]
  if (third === '') return []
  return [kind === 'remove' ? { kind, name: first } : { kind, name: first, version: third }]
}
