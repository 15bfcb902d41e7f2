import type { ValueOrder } from '../../model/acceptance.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { faillock } from './settings/faillock.ts'
import { pwquality } from './settings/pwquality.ts'
import type { KeyRules, Surface } from '../../settings/surface.ts'
import { VALUES } from '../../settings/values.ts'

/** Where a module has its settings from beside its line in the stack, and what they are where nothing sets them. */
export interface ModuleSettings {
  /** The name of its file. */
  readonly file?: string
  /** The argument that names another file. */
  readonly fileArgument?: string
  /** What stands in the module where its version reads the file at all. */
  readonly marker?: string
  /** Who knows its settings. */
  readonly surface?: Surface
  /** The same where it does not. */
  readonly rules?: Readonly<Record<string, KeyRules>>
}

/** Where the files of modules lie: those of a machine hide those of a vendor. */
export const SETTINGS_DIRECTORIES = ['/etc/security', '/usr/etc/security'] as const

/** The file in which pam_unix looks for the scheme of new passwords. */
export const LOGIN_DEFS = '/etc/login.defs'

const PLAIN: KeyRules = { order: VALUES, wins: 'last' }
const FLAG: KeyRules = { ...PLAIN, isFlag: true }

const MODULES: Readonly<Record<string, ModuleSettings>> = {
  pam_faillock: { file: 'faillock.conf', fileArgument: 'conf', surface: faillock },
  pam_pwquality: { file: 'pwquality.conf', surface: pwquality },
  // pwhistory.conf(5), and what Linux-PAM is compiled with.
  pam_pwhistory: {
    file: 'pwhistory.conf',
    fileArgument: 'conf',
    marker: 'pwhistory.conf',
    rules: {
      remember: { ...PLAIN, default: '10' },
      retry: { ...PLAIN, default: '1' },
      debug: FLAG,
      use_authtok: FLAG,
      enforce_for_root: FLAG,
    },
  },
  pam_unix: { rules: { hash: { ...PLAIN, default: 'des' } } },
}

/** What is known of the settings of a module. */
export function settingsOf(module: string): ModuleSettings {
  return Object.hasOwn(MODULES, module) ? (MODULES[module] ?? {}) : {}
}

/** What a module does with the values of an argument or setting. */
function rulesOf(module: string, key: string): KeyRules {
  const { surface, rules = {} } = settingsOf(module)
  if (surface === undefined) return Object.hasOwn(rules, key) ? (rules[key] ?? PLAIN) : PLAIN
  const name = { section: '', key }
  return 'problem' in surface.keyOf(key) ? PLAIN : surface.rulesOf(name)
}

/** How the values of an argument compare. */
export function orderOf(module: string, name: string): ValueOrder<string> {
  return { ...rulesOf(module, name).order, isMatch: matchesWhole }
}

/**
 * The scheme that login.defs names for new passwords, as pam_unix reads it: by the first line that does.
 * @see pam_modutil_search_key
 */
export function schemeOfLoginDefs(text: string): readonly Assignment[] {
  const lines = text.split('\n')
  const found = lines.findIndex((line) => /^\s*ENCRYPT_METHOD\s/i.test(line))
  const [, value = ''] = /^\s*\S+\s+([^\s#]*)/.exec(lines[found] ?? '') ?? []
  if (found === -1) return []
  return [{ section: '', key: 'hash', value: value.toLowerCase(), file: LOGIN_DEFS, line: found + 1 }]
}

/** The schemes that pam_unix takes as arguments, of which the last one counts. */
const SCHEMES = ['md5', 'bigcrypt', 'sha256', 'sha512', 'blowfish', 'gost_yescrypt', 'yescrypt']

/** Flags that another name sets, too. @see pam_faillock(8); Debian's pam_unix */
const IMPLIED: Readonly<Record<string, string>> = { even_deny_root: 'root_unlock_time', nullok: 'nullok_secure' }

/** Where the value of an argument comes from: the line itself, a line of a file, or the module. */
export type PamValue =
  | { readonly kind: 'argument'; readonly value: string }
  | { readonly kind: 'setting'; readonly value: string; readonly setting: Assignment }
  | { readonly kind: 'default'; readonly value: string }
  | { readonly kind: 'none' }

/**
 * What a module goes by: the argument on its line, else what its configuration file says, else its own default. That a flag is
 * there is `true`. A value that the module does not take does not count.
 */
export function valueOf(
  module: string,
  line: readonly string[],
  { name, settings }: { readonly name: string; readonly settings: readonly Assignment[] },
): PamValue {
  const { isFlag = false, default: preset, takes } = rulesOf(module, name)
  const worded = (value: string): string => (isFlag || value === '' ? 'true' : value)
  const isTaken = (value: string): boolean => takes === undefined || takes(value)
  const given = argumentsOf(module, line, name).findLast(isTaken)
  if (given !== undefined) return { kind: 'argument', value: worded(given) }
  const setting = settings.findLast(
    ({ key, value }) => [name, IMPLIED[name]].includes(key.toLowerCase()) && isTaken(value),
  )
  if (setting !== undefined) return { kind: 'setting', value: worded(setting.value), setting }
  if (isFlag) return { kind: 'default', value: 'false' }
  return preset === undefined ? { kind: 'none' } : { kind: 'default', value: preset }
}

/** What is given for an argument on the line, empty where it is named alone. */
function argumentsOf(module: string, line: readonly string[], name: string): readonly string[] {
  if (module === 'pam_unix' && name === 'hash') return line.filter((each) => SCHEMES.includes(each))
  return line.flatMap((each) => {
    const [given = '', value = ''] = each.split(/=(.*)/s)
    return [name, IMPLIED[name]].includes(given) ? [value] : []
  })
}
