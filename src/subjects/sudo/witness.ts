import type { KeyName } from '../../settings/assignment.ts'
import { type ConfigFiles, type WitnessAnswer, SILENT, type WitnessQuestion } from '../../settings/surface.ts'
import type { Testimony } from '../../host/witness.ts'
import { readSources } from './sources.ts'
import { isOfType, isSwitchable, NOPASSWD } from './statements.ts'

/** Output of cvtsudoers. */
interface Converted {
  readonly Defaults?: readonly { readonly Binding?: readonly Options[]; readonly Options: readonly Options[] }[]
  readonly User_Specs?: readonly { readonly Cmnd_Specs: readonly { readonly Options?: readonly Options[] }[] }[]
}

type Options = Readonly<Record<string, unknown>>

/** Queries the file that sudo reads, its validity, and its effect: `Defaults` for all, and whether a rule needs no password. */
export function askSudo(files: ConfigFiles, { key }: KeyName): readonly WitnessQuestion[] {
  const sources = readSources(files)
  if (sources.kind === 'unknown' || sources.value.service !== undefined) return []
  const { main } = sources.value
  const option = /^Defaults\.(\w+)$/.exec(key)?.[1]
  if (option === undefined && key !== NOPASSWD) return []
  return [
    {
      commands: [
        ['/usr/sbin/visudo', '-V'],
        ['/usr/sbin/visudo', '-c'],
        ['/usr/bin/cvtsudoers', '-c', '/dev/null', '-f', 'json', main],
      ],
      ...(option === undefined && { ours: (effective) => someOf(effective.length > 1) }),
      hear: ([version, check, converted]) => {
        const refusal = check === undefined ? SILENT : refusalIn(version, check, main)
        if (refusal !== undefined) return refusal
        const found = converted === undefined || converted.exitCode !== 0 ? undefined : parseConverted(converted.stdout)
        if (found === undefined) return SILENT
        const value = option === undefined ? someOf(hasRuleWithoutPassword(found)) : optionForAll(found, option)
        return value === undefined ? SILENT : { kind: 'said', value }
      },
    },
  ]
}

/** sudo skips drop-ins with a wrong owner or mode, which cvtsudoers reads; it also reads some that visudo rejects. */
const ATTRIBUTES = /^(\/.*): (?:bad permissions|wrong owner)/
const PARSED = /^(\/.*): parsed OK$/

function refusalIn(
  version: Testimony,
  { exitCode, stdout, stderr }: Testimony,
  main: string,
): WitnessAnswer | undefined {
  // visudo of sudo-rs has another grammar, and no converter. `sudo -V` is not used, as it logs an unresolvable host name.
  if (!version.stdout.startsWith('visudo version 1.')) return SILENT
  const complaints = stderr.split('\n').filter((line) => line !== '')
  const words = complaints.find((line) => !ATTRIBUTES.test(line))
  if (exitCode !== 0 && words !== undefined) return { kind: 'refused', words: `visudo -c: ${words}` }
  const named = [...complaints, ...stdout.split('\n')].map((line) => (ATTRIBUTES.exec(line) ?? PARSED.exec(line))?.[1])
  const first = named.find((path) => path !== undefined)
  if (first !== undefined && !named.includes(main))
    return { kind: 'refused', words: `sudo reads ${first} instead of ${main}` }
  return exitCode === 0 && first !== undefined ? undefined : SILENT
}

/** Some versions write invalid JSON. */
function parseConverted(text: string): Converted | undefined {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as Converted)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function hasRuleWithoutPassword({ User_Specs: rules = [] }: Converted): boolean {
  return rules.some(({ Cmnd_Specs: specs }) =>
    specs.some(({ Options: options = [] }) => options.some((each) => each['authenticate'] === false)),
  )
}

function someOf(isAny: boolean): string {
  return isAny ? 'some' : 'none'
}

function isForAll(binding: readonly Options[] | undefined): boolean {
  if (binding === undefined) return true
  const [[name, who] = [], ...others] = binding.flatMap((each) => Object.entries(each))
  return others.length === 0 && who === 'ALL' && name !== 'command'
}

function optionForAll({ Defaults: lines = [] }: Converted, option: string): string | undefined {
  const value = lines
    .filter(({ Binding: binding }) => isForAll(binding))
    .flatMap(({ Options: options }) => options)
    .flatMap((each) => (Object.hasOwn(each, option) ? [each[option]] : []))
    // cvtsudoers prints values that sudo ignores, too.
    .findLast((each) => (typeof each === 'string' ? isOfType(option, each) : each !== false || isSwitchable(option)))
  if (value === false && option === 'timestamp_timeout') return '0'
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}
