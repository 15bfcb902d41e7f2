import { known, type Reading, unknown } from '../../model/observation.ts'
import { POLICY_ENVIRONMENT } from '../../host/command.ts'
import type { LoadedRules } from './firewall.ts'
import type { Target } from '../../host/target.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { FIREWALL } from './subject.ts'

const TIMEOUT_MS = 60_000
/** Of sets with all networks of a country. */
const LARGEST_LISTING = 64 * 1024 * 1024

/**
 * Rules of a firewall in force, as the program that loads them lists them, without what they have counted: `iptables`, `ip6tables`,
 * `nft`, or one table of that, such as `nft inet filter`. Null for a table that is not there. What is stored is put back as files.
 */
export const rules: UndoHandler<string | null> = {
  async look(target, name, signal) {
    const { program, table } = parseName(name)
    if (program !== 'nft') return list(target, [`${program}-save`], signal)
    if (table === undefined) return list(target, ['nft', '-s', 'list', 'ruleset'], signal)
    const tables = await list(target, ['nft', 'list', 'tables'], signal)
    if (tables.kind === 'unknown') return tables
    if (!tables.value.split('\n').includes(`table ${table}`)) return known(null)
    return list(target, ['nft', '-s', 'list', 'table', ...table.split(' ')], signal)
  },
  describe: (state) => (state === null ? 'no such table' : `rules of ${state.length} characters`),
  putBack(name, { before }, { remediator, signal }) {
    const { program, table } = parseName(name)
    const text = before ?? ''
    if (program !== 'nft') return remediator.open(FIREWALL).load({ program, text }, signal)
    // Each of these is one transaction: the rules from before are in place at once, or those of now stay.
    const emptied = table === undefined ? 'flush ruleset\n' : `add table ${table}\ndelete table ${table}\n`
    return remediator.open(FIREWALL).load({ program, text: emptied + text }, signal)
  },
}

function parseName(name: string): { readonly program: LoadedRules['program']; readonly table?: string } {
  if (name === 'iptables' || name === 'ip6tables') return { program: name }
  const [, table] = /^nft (.+)$/.exec(name) ?? []
  return { program: 'nft', ...(table !== undefined && { table }) }
}

async function list(
  target: Target,
  argv: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<Reading<string>> {
  const outcome = await target.run({
    argv,
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: LARGEST_LISTING,
    signal,
  })
  if (outcome.kind === 'not-started') return unknown('not-observable', outcome.message)
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0)
    return unknown('not-observable', `${argv.join(' ')}: ${outcome.output.trim()}`)
  return known(outcome.stdout.replaceAll(COUNTED, '').replaceAll(REMARK, ''))
}

/** What changes by itself: counters of iptables, and how long an element of a set has yet to live. */
const COUNTED = /(?<=^:.*) \[\d+:\d+\]$| expires \w+(?=[ ,])/gm

/** When iptables-save was run, and that a table is one of iptables. */
const REMARK = /^# .*\n/gm
