import type { CommandOutcome } from '../../../host/command.ts'
import { findProgram } from '../../../host/live/find-program.ts'
import { filesBelow } from '../../../host/live/machine-files.ts'
import { type MachineReading, readingOf } from '../../../host/live/machine-reading.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { known, mapReading, type Reading, unknown, type Unknown } from '../../../model/observation.ts'
import type { AuditState, AuditSystem, StoredAudit, LoadedAudit } from '../auditd.ts'
import { compileRules, compiledText, type LeadingSpace, linesOf, type RulesFile } from '../rules/augenrules.ts'
import { compareVersionNames } from '../rules/file-order.ts'
import { type AuditLayer, loadLines, type PlacedText, type PlacedSetting, type Resolved } from '../rules/layers.ts'
import { withTrueRules } from '../rules/listed.ts'
import { parseLine } from '../rules/parse.ts'
import { type AuditRule, type SettingName, SETTINGS } from '../rules/rule.ts'
import type { Syscalls } from '../rules/syscalls.ts'
import { type AuditPlace, COMPILED_FILE, SOURCES, THIS_MACHINE } from './place.ts'
import { type AccountIds, openResolver, type Resolver } from './resolve.ts'

export interface AuditReader extends AccountIds {
  readonly probe: Pick<SystemProbe, 'machine'>
  readonly place?: AuditPlace
}

/** Inputs of the layers. */
export interface AuditSources extends AuditReader {
  readonly files: MachineReading
  readonly kernel: (signal: AbortSignal) => Promise<Reading<KernelAnswer>>
  readonly canCompile: () => boolean
}

/** Cached until `forget`. */
interface Read {
  readonly kernel: Reading<KernelAnswer>
  readonly compiled: Reading<string | null>
  readonly sources: Reading<readonly RulesFile[] | null>
  readonly resolver: Resolver
}

/** Opens the audit rules of this machine. Everything is read once. */
export function openAudit(reader: AuditReader): AuditSystem & { readonly forget: () => void } {
  const { place = THIS_MACHINE } = reader
  return openAuditOf({
    ...reader,
    files: readingOf(filesBelow(place.root)),
    kernel: (signal) => askKernel(place, signal),
    canCompile: () => findProgram('augenrules', place.searchPath.split(':')) !== undefined,
  })
}

/** Opens the audit rules of any host. */
export function openAuditOf(sources: AuditSources): AuditSystem & { readonly forget: () => void } {
  let read: Promise<Read> | undefined
  let layers: Promise<AuditState> | undefined
  return {
    async state(rules, signal) {
      const kept = await (read ??= readAll(sources, signal))
      // Resolves the names first, so that `resolve` knows every desired rule.
      await kept.resolver.learn(rules)
      return known(await (layers ??= layersOf(kept, sources)))
    },
    forget() {
      read = undefined
      layers = undefined
    },
  }
}

async function readAll(sources: AuditSources, signal: AbortSignal): Promise<Read> {
  const { files, kernel } = sources
  return {
    kernel: await kernel(signal),
    compiled: files.readText(COMPILED_FILE),
    sources: readSources(files),
    resolver: openResolver(files, sources),
  }
}

/** The files that augenrules joins, in load order. Its shell splits a file name that contains spaces. */
function readSources(machine: MachineReading): Reading<readonly RulesFile[] | null> {
  const names = machine.list(SOURCES)
  if (names.kind === 'unknown' || names.value === null) return names as Reading<null>
  const sorted = names.value
    .filter((name) => name.endsWith('.rules') && !name.startsWith('.'))
    .toSorted(compareVersionNames)
  const files: RulesFile[] = []
  for (const name of sorted.flatMap((each) => each.split(/[ \t\n]+/).filter((part) => part !== ''))) {
    const path = `${SOURCES}/${name}`
    if (/[*?[]/.test(name)) return unknown('invalid', `${path}: augenrules treats the name as a pattern: rename it`)
    const seen = machine.stat(path)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent' || seen.state.kind === 'directory') continue
    const text = machine.readText(path)
    if (text.kind === 'unknown') return text
    files.push({ path, text: text.value ?? '' })
  }
  return known(files)
}

async function layersOf(read: Read, { probe, canCompile }: AuditSources): Promise<AuditState> {
  const { kernel, compiled, sources, resolver } = read
  await resolver.learn(rulesIn([kernel, compiled, sources]))
  const resolve = (rule: AuditRule) => resolver.resolve(rule)
  // The tables are large, and few scans need them.
  const { syscallsOf } = await import('../rules/syscalls.ts')
  const syscalls = syscallsOf(probe.machine)
  const compiledLayer = mapReading(compiled, (text): AuditLayer => {
    return loadLines(text === null ? [] : linesOf({ path: COMPILED_FILE, text }), resolve, syscalls)
  })
  const stored = storedOf(read, compiledLayer, syscalls)
  const files = [...valueOf(compiledLayer), ...valueOf(mapReading(stored, ({ layer }) => layer))]
  const loaded = mapReading(kernel, (answer) => {
    const { layer, enabled } = loadedOf(answer, resolve)
    return { layer: withTrueRules(layer, files), enabled }
  })
  return { loaded, compiled: compiledLayer, stored, syscalls, resolve, canCompile: canCompile() }
}

/** If the compilation depends on the version of awk, the compiled file tells which one the host has. */
function storedOf(
  { sources, compiled, resolver }: Read,
  compiledLayer: Reading<AuditLayer>,
  syscalls: Syscalls,
): Reading<StoredAudit> {
  if (sources.kind === 'unknown') return sources
  if (sources.value === null) return mapReading(compiledLayer, (layer): StoredAudit => ({ layer, leading: 'spaces' }))
  const files = sources.value
  const made = (['spaces', 'letters'] as const).map((leading) => ({ leading, lines: compileRules(files, leading) }))
  const texts = made.map(({ lines }) => compiledText(lines))
  const stored = ({ leading, lines }: { leading: LeadingSpace; lines: readonly PlacedText[] }): Reading<StoredAudit> =>
    known({ layer: loadLines(lines, (rule) => resolver.resolve(rule), syscalls), files, leading })
  const index =
    texts[0] === texts[1] ? 0 : texts.findIndex((text) => compiled.kind === 'known' && text === compiled.value)
  const found = made[index]
  if (found !== undefined) return stored(found)
  const detail = `a line of ${SOURCES} has a space before its setting, which awk implementations treat differently: remove it`
  return unknown('invalid', detail)
}

function rulesIn([kernel, compiled, sources]: readonly [
  Read['kernel'],
  Read['compiled'],
  Read['sources'],
]): readonly AuditRule[] {
  const texts = [
    kernel.kind === 'known' ? kernel.value.rules : '',
    compiled.kind === 'known' ? (compiled.value ?? '') : '',
    ...(sources.kind === 'known' ? (sources.value ?? []).map(({ text }) => text) : []),
  ]
  return texts
    .flatMap((text) => text.split('\n'))
    .map(parseLine)
    .filter((line) => line.kind === 'rule')
}

function valueOf<Value>(reading: Reading<Value>): readonly Value[] {
  return reading.kind === 'unknown' ? [] : [reading.value]
}

const TIMEOUT_MS = 30_000
/** More than the output for any realistic number of rules. */
const LARGEST_LISTING = 16 * 1024 * 1024

interface KernelAnswer {
  readonly rules: string
  readonly status: string
}

/** Queries the kernel through auditctl, which needs root and fails in a container. */
export async function askKernel({ searchPath }: AuditPlace, signal: AbortSignal): Promise<Reading<KernelAnswer>> {
  const auditctl = findProgram('auditctl', searchPath.split(':'))
  if (auditctl === undefined) {
    return unknown('not-observable', 'auditctl is not installed, so the audit rules of the kernel are unknown')
  }
  const ask = async (option: string): Promise<Reading<string>> => {
    const environment = { PATH: searchPath, LC_ALL: 'C' }
    const argv = [auditctl, option] as const
    const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: LARGEST_LISTING, signal }
    return answerOf(option, await runCommand({ argv, workingDirectory: '/', environment, ...limits }))
  }
  const rules = await ask('-l')
  if (rules.kind === 'unknown') return rules
  const status = await ask('-s')
  return status.kind === 'unknown' ? status : known({ rules: rules.value, status: status.value })
}

/** If the kernel refuses, auditctl may exit with 0 and print the reason to stdout or stderr. */
function answerOf(option: string, outcome: CommandOutcome): Reading<string> {
  const query = `auditctl ${option}`
  if (outcome.kind === 'not-started') return unknown('not-observable', `${query}: ${outcome.message}`)
  if (outcome.kind === 'killed') {
    return unknown(outcome.cause === 'timeout' ? 'timeout' : 'not-observable', `${query}: ${outcome.reason}`)
  }
  const { exitCode, stdout, stderr } = outcome
  const isAnswer = option === '-s' ? /^enabled [012]$/m.test(stdout) : /^(?:No rules$|-)/m.test(stdout)
  return exitCode === 0 && isAnswer ? known(stdout) : noAnswer(query, stderr.trim() || stdout.trim())
}

function noAnswer(query: string, said: string): Unknown {
  const isRefused = /must be root|not permitted|permission/i.test(said)
  return unknown(isRefused ? 'permission-denied' : 'not-observable', `${query}: ${said || 'no output'}`)
}

function loadedOf({ rules, status }: KernelAnswer, resolve: (rule: AuditRule) => Resolved): LoadedAudit {
  const lines = rules.split('\n').filter((line) => line !== 'No rules')
  // `-i` keeps the second of two equal rules from ending the load.
  const { entries } = loadLines([{ text: '-i' }, ...lines.map((text) => ({ text }))], resolve)
  const settings = new Map<SettingName, PlacedSetting>()
  for (const [name, word] of Object.entries(SETTINGS)) {
    const value = word === undefined ? undefined : new RegExp(`^${word} (\\d+)\\b`, 'm').exec(status)?.[1]
    if (value !== undefined) settings.set(name as SettingName, { value: Number(value) })
  }
  return { layer: { entries, settings }, enabled: settings.get('-e')?.value ?? 0 }
}
