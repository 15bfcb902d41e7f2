import type { KeyName } from '../../settings/assignment.ts'
import { type Heard, SILENT, type WitnessQuestion } from '../../settings/surface.ts'
import type { Testimony } from '../../host/witness.ts'
import { NOPASSWD } from './statements.ts'

const MAIN = '/etc/sudoers'

const COMMANDS = [
  ['/usr/bin/sudo', '-V'],
  ['/usr/sbin/visudo', '-c'],
  ['/usr/bin/cvtsudoers', '-c', '/dev/null', '-f', 'json', MAIN],
] as const

/** What cvtsudoers makes of the files. */
interface Converted {
  readonly Defaults?: readonly { readonly Binding?: unknown; readonly Options: readonly Options[] }[]
  readonly User_Specs?: readonly { readonly Cmnd_Specs: readonly { readonly Options?: readonly Options[] }[] }[]
}

type Options = Readonly<Record<string, unknown>>

/** Asks which file sudo reads, whether it takes that, and what it says: `Defaults` for all, and whether a rule asks for no password. */
export function askSudo({ key }: KeyName): WitnessQuestion | undefined {
  const option = /^Defaults\.(\w+)$/.exec(key)?.[1]
  if (option === undefined && key !== NOPASSWD) return undefined
  return {
    commands: COMMANDS,
    ...(option === undefined && { ours: (effective) => someOf(effective.length > 1) }),
    hear: ([version, check, converted]) => {
      const refusal = check === undefined ? SILENT : refusalIn(version, check)
      if (refusal !== undefined) return refusal
      const found = converted === undefined || converted.exitCode !== 0 ? undefined : parsed(converted.stdout)
      if (found === undefined) return SILENT
      const value = option === undefined ? someOf(hasRuleWithoutPassword(found)) : optionForAll(found, option)
      return value === undefined ? SILENT : { kind: 'said', value }
    },
  }
}

/** sudo passes over a drop-in of another owner or mode, which cvtsudoers reads; some that visudo finds too open sudo reads, too. */
const ATTRIBUTES = /: (?:bad permissions|wrong owner)/

function refusalIn({ stdout }: Testimony, check: Testimony): Heard | undefined {
  const [, path] = /^Sudoers path: (.+)$/m.exec(stdout) ?? []
  if (!stdout.startsWith('Sudo version 1.') || path === undefined) return SILENT
  if (path !== MAIN) return { kind: 'refused', words: `sudo reads ${path} in place of ${MAIN}` }
  if (check.exitCode === 0) return undefined
  const [words] = check.stderr.split('\n').filter((line) => line !== '' && !ATTRIBUTES.test(line))
  return words === undefined ? SILENT : { kind: 'refused', words: `visudo -c: ${words}` }
}

/** Some versions write what is no JSON. */
function parsed(text: string): Converted | undefined {
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

function optionForAll({ Defaults: lines = [] }: Converted, option: string): string | undefined {
  const value = lines
    .filter(({ Binding: binding }) => binding === undefined)
    .flatMap(({ Options: options }) => options)
    .findLast((each) => Object.hasOwn(each, option))?.[option]
  if (value === false && option === 'timestamp_timeout') return '0'
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}
