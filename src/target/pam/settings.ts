/** One line of a module's configuration file. */
export interface PamSetting {
  readonly name: string
  /** Empty where the line names the setting alone. */
  readonly value: string
  readonly file: string
  readonly line: number
}

/** Where a module has its settings from beside its line in the stack, and what they are where nothing sets them. */
export interface ModuleSettings {
  /** The files that it reads, one after another, of which the last that says something wins. */
  readonly files: readonly string[]
  /** A directory of files that it reads before them. */
  readonly directory?: string
  /** The argument that names another file. */
  readonly fileArgument?: string
  /** What stands in the module's own file where its version reads these files at all. */
  readonly marker?: string
  /** Settings that are set by being named, whatever value is given. */
  readonly flags: readonly string[]
  readonly defaults: Readonly<Record<string, string>>
}

/** Where the files of modules lie: those of a machine hide those of a vendor. */
export const SETTINGS_DIRECTORIES = ['/etc/security', '/usr/etc/security'] as const

/** The file in which pam_unix looks for the scheme of new passwords. */
export const LOGIN_DEFS = '/etc/login.defs'

const NO_SETTINGS: ModuleSettings = { files: [], flags: [], defaults: {} }

// As the modules' own manual pages have it, and what Linux-PAM 1.5 and libpwquality 1.4 are compiled with.
const MODULES: Readonly<Record<string, ModuleSettings>> = {
  pam_faillock: {
    files: ['faillock.conf'],
    fileArgument: 'conf',
    flags: ['audit', 'silent', 'no_log_info', 'local_users_only', 'nodelay', 'even_deny_root'],
    defaults: { deny: '3', fail_interval: '900', unlock_time: '600' },
  },
  pam_pwhistory: {
    files: ['pwhistory.conf'],
    fileArgument: 'conf',
    marker: 'pwhistory.conf',
    flags: ['debug', 'use_authtok', 'enforce_for_root'],
    defaults: { remember: '10', retry: '1' },
  },
  pam_pwquality: {
    files: ['pwquality.conf'],
    directory: 'pwquality.conf.d',
    flags: ['debug', 'enforce_for_root', 'local_users_only'],
    defaults: {
      difok: '1',
      minlen: '8',
      dcredit: '0',
      ucredit: '0',
      lcredit: '0',
      ocredit: '0',
      minclass: '0',
      maxrepeat: '0',
      maxclassrepeat: '0',
      gecoscheck: '0',
      dictcheck: '1',
      usercheck: '1',
      usersubstr: '0',
      enforcing: '1',
      retry: '1',
    },
  },
  pam_unix: { ...NO_SETTINGS, defaults: { hash: 'des' } },
}

/** What is known of the settings of a module. */
export function settingsOf(module: string): ModuleSettings {
  return Object.hasOwn(MODULES, module) ? (MODULES[module] ?? NO_SETTINGS) : NO_SETTINGS
}

/** The lines of a configuration file of the form `name = value`, in which the sign may be missing. */
export function parseSettings(text: string, file: string): readonly PamSetting[] {
  return text.split('\n').flatMap((written, index): PamSetting[] => {
    const [, name, value = ''] = /^\s*([^\s=#]+)(?:[\s=]+([^#]*))?/.exec(written) ?? []
    return name === undefined ? [] : [{ name, value: value.trim(), file, line: index + 1 }]
  })
}

/**
 * The scheme that login.defs names for new passwords, as pam_unix reads it: by the first line that does.
 * @see pam_modutil_search_key
 */
export function schemeOfLoginDefs(text: string): readonly PamSetting[] {
  const found = text.split('\n').findIndex((line) => /^\s*ENCRYPT_METHOD\s/i.test(line))
  const [, value = ''] = /^\s*\S+\s+([^\s#]*)/.exec(text.split('\n')[found] ?? '') ?? []
  return found === -1 ? [] : [{ name: 'hash', value: value.toLowerCase(), file: LOGIN_DEFS, line: found + 1 }]
}

/** The schemes that pam_unix takes as arguments, of which the last one counts. */
const SCHEMES = ['md5', 'bigcrypt', 'sha256', 'sha512', 'blowfish', 'gost_yescrypt', 'yescrypt']

/** Flags that another name sets, too. @see pam_faillock(8); Debian's pam_unix */
const IMPLIED: Readonly<Record<string, string>> = { even_deny_root: 'root_unlock_time', nullok: 'nullok_secure' }

/** Where the value of an argument comes from: the line itself, a line of a file, or the module. */
export type PamValue =
  | { readonly kind: 'argument'; readonly value: string }
  | { readonly kind: 'setting'; readonly value: string; readonly setting: PamSetting }
  | { readonly kind: 'default'; readonly value: string }
  | { readonly kind: 'none' }

/**
 * What a module goes by: the argument on its line, else what its configuration file says, else its own default. That a flag is
 * there is `true`.
 */
export function valueOf(
  module: string,
  line: readonly string[],
  { name, settings }: { readonly name: string; readonly settings: readonly PamSetting[] },
): PamValue {
  const { flags, defaults } = settingsOf(module)
  const isFlag = flags.includes(name)
  const given = argumentOf(module, line, name)
  if (given !== undefined) return { kind: 'argument', value: isFlag || given === '' ? 'true' : given }
  const setting = settings.findLast((each) => each.name === name || IMPLIED[name] === each.name)
  if (setting !== undefined) {
    return { kind: 'setting', value: isFlag || setting.value === '' ? 'true' : setting.value, setting }
  }
  if (isFlag) return { kind: 'default', value: 'false' }
  const value = Object.hasOwn(defaults, name) ? defaults[name] : undefined
  return value === undefined ? { kind: 'none' } : { kind: 'default', value }
}

/** What is given for an argument on the line, empty where it is named alone. */
function argumentOf(module: string, line: readonly string[], name: string): string | undefined {
  if (module === 'pam_unix' && name === 'hash') return line.findLast((each) => SCHEMES.includes(each))
  const names = [name, IMPLIED[name]]
  const last = line.findLast((each) => names.includes(each.split('=', 1)[0] ?? ''))
  return last === undefined ? undefined : last.slice(last.includes('=') ? last.indexOf('=') + 1 : last.length)
}
