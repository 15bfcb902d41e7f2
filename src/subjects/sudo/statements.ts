import { wordsOf } from '../../settings/blanks.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { type SudoersLine, splitList, unquoteText } from './lines.ts'

/** Content of a line: settings, includes, or no relevant content. */
export type SudoersStatement =
  | { readonly kind: 'assignments'; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'include' | 'includedir'; readonly path: string }

/** Key of rules without password. */
export const NOPASSWD = 'NOPASSWD'

/** Key of Defaults lines without password. */
export const NO_AUTHENTICATE = '!authenticate'

/** Parses a line of a file. A line with a syntax error has no effect, as in sudo. */
export function readStatement({ text, shape, line }: SudoersLine, file: string): SudoersStatement {
  const included = INCLUDE.exec(text)?.groups
  if (included !== undefined) {
    const { kind, path = '' } = included
    return { kind: kind === 'include' ? 'include' : 'includedir', path: unquoteText(path) }
  }
  const at = { section: '', file, line }
  if (/^Defaults(?![A-Za-z_])/.test(text))
    return { kind: 'assignments', assignments: hasEmptyOption(shape) ? [] : defaultsIn(text, at) }
  if (
    /^(?:User|Host|Cmnd|Cmd|Runas)_Alias[ \t\n\v\f\r]/.test(text) ||
    !WITHOUT_PASSWORD.test(shape) ||
    hasMissingItem(shape)
  )
    return { kind: 'assignments', assignments: [] }
  const rule = text.replace(/[ \t]+/g, ' ')
  return { kind: 'assignments', assignments: [{ ...at, key: NOPASSWD, value: rule, scope: rule }] }
}

/** The tag, unless a later tag of the same command takes it back. */
const WITHOUT_PASSWORD =
  /(?:^|[ \t\n\v\f\r=:),])NOPASSWD[ \t\n\v\f\r]*:(?!(?:[ \t]*(?:NO)?(?:EXEC|FOLLOW|INTERCEPT|LOG_INPUT|LOG_OUTPUT|MAIL|SETENV)[ \t]*:)*[ \t]*PASSWD[ \t]*:)/

/** Whether a rule lacks an item of a list or its commands, which is a syntax error. */
function hasMissingItem(shape: string): boolean {
  return /(?:^|[,=(:])[ \t]*,|[,=:][ \t]*$/.test(shape)
}

const INCLUDE =
  /^(?:@|#(?=include(?:dir)?[ \t]))(?<kind>include(?:dir)?)(?:[ \t]+|(?="))(?<path>"(?:\\.|[^"])*"|(?:\\.|[^ \t\n\r"])+)$/s

const MEMBER = String.raw`!*(?:"[^"]*"|(?:\\.|[^ \t\n\r,"\\])+)`

/** A command, in which a quotation mark that does not begin it is literal. */
const COMMAND = String.raw`!*(?:"[^"]*"|(?:\\.|[^ \t\n\r,\\])+)`

/** Whether an item of the list is missing, which is a syntax error. */
function hasEmptyOption(shape: string): boolean {
  return /^Defaults[ \t]+,|,[ \t]*(?:,|$)/.test(shape)
}

/** Scope and options of a Defaults line. */
const DEFAULTS = new RegExp(
  String.raw`^Defaults(?<binding>[@:>][ \t]*${MEMBER}(?:[ \t]*,[ \t]*${MEMBER})*|![ \t]*${COMMAND}(?:[ \t]*,[ \t]*${COMMAND})*)?[ \t]+(?<options>.+)$`,
  's',
)

const OPTION =
  /^(?<not>[! \t]*)(?<name>[a-z_]+)(?:[ \t]*(?<sign>[+-]?=)[ \t]*(?<value>"(?:\\.|[^"])+"|(?:\\.|[^ \t\n\r",=\\])+))?$/s

type Where = Pick<Assignment, 'section' | 'file' | 'line'>

function defaultsIn(text: string, at: Where): readonly Assignment[] {
  const { binding = '', options = '' } = DEFAULTS.exec(text)?.groups ?? {}
  const found = splitList(options).map((option) => OPTION.exec(option)?.groups)
  // An option with a value cannot be switched off.
  if (found.some((option) => option === undefined || (isOdd(option['not']) && option['sign'] !== undefined))) return []
  const members = binding.slice(1).match(new RegExp(binding.startsWith('!') ? COMMAND : MEMBER, 'gs')) ?? []
  const isForAll = /^[@:>]ALL$/.test(`${binding.charAt(0)}${members.join(',')}`)
  const scope = binding === '' || isForAll ? undefined : `Defaults${binding.charAt(0)}${members.join(',')}`
  return found.flatMap((option) => (option === undefined ? [] : defaultOf(option, scope, at)))
}

/** Whether there is an odd number of negations. */
function isOdd(not = ''): boolean {
  return (not.match(/!/g) ?? []).length % 2 === 1
}

function defaultOf(
  { not = '', name = '', sign, value = '' }: Readonly<Record<string, string | undefined>>,
  scope: string | undefined,
  at: Where,
): readonly Assignment[] {
  const base = { ...at, ...(scope === undefined ? {} : { scope }) }
  const key = `Defaults.${name}`
  if (sign === '+=' || sign === '-=') {
    if (!LISTS.has(name)) return []
    const option = `${name}${sign}${value}`
    return [{ ...base, key, value: option, unclear: `${option} changes a list` }]
  }
  const isOff = isOdd(not)
  // sudo ignores a flag with a value, an option without its value, and a value of the wrong type.
  if (SWITCHES.has(name) ? sign !== undefined : sign === undefined && !isOff && !ALONE.has(name)) return []
  if (isOff && !isSwitchable(name)) return []
  if (sign !== undefined && !isOfType(name, unquoteText(value))) return []
  const assignment = {
    ...base,
    key,
    value: isOff ? (OFF[name] ?? 'false') : sign === undefined ? 'true' : unquoteText(value),
  }
  return name === 'authenticate' ? [assignment, { ...assignment, key: NO_AUTHENTICATE }] : [assignment]
}

/** Flags, which are refused with a value; of sudo 1.9.13. */
export const SWITCHES: ReadonlySet<string> = new Set(
  wordsOf(`always_query_group_plugin always_set_home authenticate case_insensitive_group case_insensitive_user closefrom_override compress_io
  env_editor env_reset exec_background fast_glob fqdn ignore_audit_errors ignore_dot ignore_iolog_errors ignore_local_sudoers
  ignore_logfile_errors ignore_unknown_defaults insults intercept intercept_allow_setid intercept_authenticate intercept_verify
  iolog_flush log_allowed log_denied log_exit_status log_host log_input log_output log_passwords log_server_keepalive
  log_server_verify log_stderr log_stdin log_stdout log_subcmds log_ttyin log_ttyout log_year long_otp_prompt mail_all_cmnds
  mail_always mail_badpass mail_no_host mail_no_perms mail_no_user match_group_by_gid netgroup_tuple noexec noninteractive_auth
  pam_acct_mgmt pam_rhost pam_ruser pam_session pam_setcred passprompt_override path_info preserve_groups pwfeedback requiretty
  root_sudo rootpw runas_allow_unknown_id runas_check_shell runaspw selinux set_home set_logname set_utmp setenv shell_noargs
  stay_setuid sudoedit_checkdir sudoedit_follow syslog_pid targetpw tty_tickets umask_override use_loginclass use_netgroups
  use_pty user_command_timeouts utmp_runas visiblepw`),
)

/** Options with an optional value. */
const ALONE: ReadonlySet<string> = new Set(['fdexec', 'lecture', 'listpw', 'syslog', 'verifypw'])

const PATH = /^\//
const COUNT = /^\+?0*\d{1,9}$/
const MINUTES = /^[-+]?(?:\d+\.?\d*|\.\d+)$/
const MODE = /^0*[0-7]{1,4}$/
const LEVEL = /^(?:alert|crit|debug|emerg|err|info|none|notice|warning)$/
const WHEN = /^(?:all|always|any|never)$/

/** Options with a type that sudo checks; of sudo 1.9.13. */
const TYPES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    `askpass editor env_file iolog_dir lecture_file logfile mailerpath noexec_file restricted_env_file timestampdir`
      .split(' ')
      .map((name) => [name, PATH]),
  ),
  ...Object.fromEntries('loglinelen passwd_tries'.split(' ').map((name) => [name, COUNT])),
  closefrom: /^[-+]?\d{1,9}$/,
  fdexec: /^(?:always|digest_only|never)$/,
  iolog_mode: MODE,
  lecture: /^(?:always|never|once)$/,
  listpw: WHEN,
  log_format: /^(?:json|sudo)$/,
  passwd_timeout: MINUTES,
  syslog: /^(?:auth|authpriv|daemon|user|local[0-7])$/,
  syslog_badpri: LEVEL,
  syslog_goodpri: LEVEL,
  timestamp_timeout: MINUTES,
  timestamp_type: /^(?:global|kernel|ppid|tty)$/,
  umask: MODE,
  verifypw: WHEN,
}

/** Options that "!" cannot switch off. */
const WITHOUT_OFF: ReadonlySet<string> = new Set(
  wordsOf('closefrom editor iolog_dir maxseq passprompt passwd_tries runas_default timestampdir'),
)

/** Options that "+=" and "-=" change; sudo ignores them elsewhere. */
const LISTS: ReadonlySet<string> = new Set(wordsOf('env_check env_delete env_keep log_servers passprompt_regex'))

/** Whether `!` has an effect on the option. */
export function isSwitchable(option: string): boolean {
  return !WITHOUT_OFF.has(option)
}

/** Whether sudo takes the value. */
export function isOfType(option: string, value: string): boolean {
  return TYPES[option]?.test(value) ?? true
}

/** Value that `!` sets for numeric options. @see sudoers(5) */
const OFF: Readonly<Record<string, string>> = { timestamp_timeout: '0', passwd_timeout: '0' }
