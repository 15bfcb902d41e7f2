import type { ValueOrder } from '../../model/acceptance.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { LOGIN_DEFS, searchKey } from './login-defs.ts'
import { faillock } from './settings/faillock.ts'
import { pwquality } from './settings/pwquality.ts'
import type { KeyRules, Surface } from '../../settings/surface.ts'
import { byNumber, VALUES } from '../../settings/values.ts'

/** The sources of a module's settings besides its line in the stack, and their defaults. */
export interface ModuleSettings {
  /** The name of the configuration file. */
  readonly file?: string
  /** The argument that sets another file. */
  readonly fileArgument?: string
  /** A string in the module if its version reads the file. */
  readonly marker?: string
  readonly surface?: Surface
  /** The settings of a module without a surface. */
  readonly rules?: Readonly<Record<string, KeyRules>>
}

/** Directories of module configuration files: /etc shadows the vendor directory. */
export const SETTINGS_DIRECTORIES = ['/etc/security', '/usr/etc/security'] as const

const PLAIN: KeyRules = { order: VALUES, wins: 'last' }
/** What pam_pwhistory makes of a number: digits at its start, and no more than 400. */
const REMEMBERED = byNumber((text) => Math.min(400, Math.max(0, Number.parseInt(text, 10) || 0)))
const FLAG: KeyRules = { ...PLAIN, isFlag: true }

const MODULES: Readonly<Record<string, ModuleSettings>> = {
  pam_faillock: { file: 'faillock.conf', fileArgument: 'conf', surface: faillock },
  pam_pwquality: { file: 'pwquality.conf', surface: pwquality },
  // Defaults from pwhistory.conf(5) and from the build of Linux-PAM.
  pam_pwhistory: {
    file: 'pwhistory.conf',
    fileArgument: 'conf',
    marker: 'pwhistory.conf',
    rules: {
      remember: { ...PLAIN, order: REMEMBERED, default: '10' },
      retry: { ...PLAIN, default: '1' },
      debug: FLAG,
      use_authtok: FLAG,
      enforce_for_root: FLAG,
    },
  },
  pam_unix: { rules: { hash: { ...PLAIN, default: 'des' } } },
}

export function settingsOf(module: string): ModuleSettings {
  return Object.hasOwn(MODULES, module) ? (MODULES[module] ?? {}) : {}
}

function rulesOf(module: string, key: string): KeyRules {
  const { surface, rules = {} } = settingsOf(module)
  if (surface === undefined) return Object.hasOwn(rules, key) ? (rules[key] ?? PLAIN) : PLAIN
  const name = { section: '', key }
  return 'problem' in surface.keyOf(key) ? PLAIN : surface.rulesOf(name)
}

export function orderOf(module: string, name: string): ValueOrder<string> {
  return { ...rulesOf(module, name).order, isMatch: matchesWhole }
}

/** The scheme arguments of pam_unix; the last one is effective. */
const SCHEMES = ['md5', 'bigcrypt', 'sha256', 'sha512', 'blowfish', 'gost_yescrypt', 'yescrypt']

/** The scheme of new passwords in login.defs; a value need only start with its name. @see _set_ctrl of pam_unix */
export function schemeOfLoginDefs(text: string): readonly Assignment[] {
  const found = searchKey(text, 'ENCRYPT_METHOD')
  if (found === undefined) return []
  const written = found.value.toLowerCase()
  const value = SCHEMES.find((scheme) => written.startsWith(scheme)) ?? written
  return [{ section: '', key: 'hash', value, file: LOGIN_DEFS, line: found.line }]
}

/** Settings that another flag sets as well. @see pam_faillock(8); Debian's pam_unix */
const IMPLIED: Readonly<Record<string, string>> = { even_deny_root: 'root_unlock_time', nullok: 'nullok_secure' }

/** The source of an effective value: the line, a configuration file, or the default of the module. */
export type PamValue =
  | { readonly kind: 'argument'; readonly value: string }
  | { readonly kind: 'setting'; readonly value: string; readonly setting: Assignment }
  | { readonly kind: 'default'; readonly value: string }
  | { readonly kind: 'none' }

/**
 * The effective value: the argument on the line, else the configuration file, else the default of the module. A set flag
 * is `true`. Values that the module rejects are ignored.
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

/** The values of an argument on the line; empty for an argument without a value. */
function argumentsOf(module: string, line: readonly string[], name: string): readonly string[] {
  if (module === 'pam_unix' && name === 'hash') return line.filter((each) => SCHEMES.includes(each))
  return line.flatMap((each) => {
    const [given = '', value = ''] = each.split(/=(.*)/s)
    return [name, IMPLIED[name]].includes(given) ? [value] : []
  })
}
