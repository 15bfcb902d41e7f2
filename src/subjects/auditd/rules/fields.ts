import { wordsOf } from '../../../settings/blanks.ts'

/** Names of the Linux errors by number; empty for an unused number. @see errno(3) */
const ERRNO_NAMES: readonly string[] = [
  '',
  ...wordsOf(`
    EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST
    EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM
    ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG
    EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET
    ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG
    ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE
    EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE
    EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN
    ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL
    EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD
    ENOTRECOVERABLE ERFKILL EHWPOISON
  `).map((name) => (name === '-' ? '' : name)),
]

/** Comparison operators; `&` requires a common bit, `&=` all bits. */
export const OPERATORS = ['!=', '<=', '>=', '&=', '=', '<', '>', '&'] as const

export type Operator = (typeof OPERATORS)[number]

/** A condition of a rule. Numbers are unsigned 32-bit integers, as the kernel compares them. */
export type AuditField =
  | { readonly kind: 'number'; readonly name: string; readonly operator: Operator; readonly value: number }
  | { readonly kind: 'text'; readonly name: string; readonly operator: Operator; readonly value: string }
  /** The name of a user or group, or `UID_MIN`; only a host can resolve it. */
  | { readonly kind: 'account'; readonly name: string; readonly operator: Operator; readonly value: string }
  /** As `text`, but listed by auditctl, which prints every operator as `=`. */
  | { readonly kind: 'listed'; readonly name: string; readonly operator: '='; readonly value: string }
  /** Two fields of the event, sorted by name. */
  | { readonly kind: 'compare'; readonly name: string; readonly operator: Operator; readonly value: string }

const USERS = ['auid', 'uid', 'euid', 'suid', 'fsuid', 'obj_uid']
const GROUPS = ['gid', 'egid', 'sgid', 'fsgid', 'obj_gid']
const NUMBERS = ['pid', 'ppid', 'pers', 'devmajor', 'devminor', 'inode', 'sessionid', 'saddr_fam']
const ARGUMENTS = ['a0', 'a1', 'a2', 'a3']
const TEXTS = [
  'subj_user',
  'subj_role',
  'subj_type',
  'subj_sen',
  'subj_clr',
  'obj_user',
  'obj_role',
  'obj_type',
  'obj_lev_low',
  'obj_lev_high',
  'exe',
]

const FILE_TYPES: Readonly<Record<string, number>> = {
  fifo: 0o010000,
  character: 0o020000,
  dir: 0o040000,
  block: 0o060000,
  file: 0o100000,
  link: 0o120000,
  socket: 0o140000,
}

/** The record types of an event; other types are compared by name. @see linux/audit.h */
const MESSAGE_TYPES: Readonly<Record<string, number>> = {
  SYSCALL: 1300,
  PATH: 1302,
  IPC: 1303,
  SOCKETCALL: 1304,
  CONFIG_CHANGE: 1305,
  SOCKADDR: 1306,
  CWD: 1307,
  EXECVE: 1309,
  EOE: 1320,
  PROCTITLE: 1327,
}

const FILE_SYSTEMS: Readonly<Record<string, number>> = { debugfs: 0x64626720, tracefs: 0x74726163 }

/** Parses `auid>=1000` or, for `-C`, `uid!=euid`; undefined if the meaning is unknown. */
export function parseField(text: string, isComparison: boolean): AuditField | undefined {
  const [, name = '', operator = '', value = ''] = /^([a-z_0-3]+)(!=|<=|>=|&=|=|<|>|&)(.+)$/s.exec(text) ?? []
  const found = OPERATORS.find((each) => each === operator)
  if (found === undefined) return undefined
  return isComparison ? comparison(name, found, value) : condition(name, found, value)
}

function comparison(name: string, operator: Operator, value: string): AuditField | undefined {
  const isSameKind = [USERS, GROUPS].some((kind) => kind.includes(name) && kind.includes(value))
  if (!isSameKind || (operator !== '=' && operator !== '!=')) return undefined
  const [left = '', right = ''] = [name, value].toSorted()
  return { kind: 'compare', name: left, operator, value: right }
}

function condition(name: string, operator: Operator, value: string): AuditField | undefined {
  const number = (read: number | undefined): AuditField | undefined =>
    read === undefined ? undefined : { kind: 'number', name, operator, value: read }
  if (USERS.includes(name) || GROUPS.includes(name)) {
    if (value === 'unset') return number(UNSET)
    // auditctl reads it as an account name, but the author meant -C.
    if (USERS.includes(value) || GROUPS.includes(value)) return undefined
    return /^-?\d/.test(value) ? number(readNumber(value)) : { kind: 'account', name, operator, value }
  }
  if (name === 'sessionid' && value === 'unset') return number(UNSET)
  if (NUMBERS.includes(name) || ARGUMENTS.includes(name)) return number(readNumber(value))
  const isEquality = operator === '=' || operator === '!='
  switch (name) {
    case 'exit':
      return number(readExit(value))
    case 'success':
      // The kernel only tests for 0 and ignores the operator.
      return operator === '=' ? number(mapDefined(readNumber(value), (read) => (read === 0 ? 0 : 1))) : undefined
    case 'filetype':
      return isEquality ? number(FILE_TYPES[value] ?? readNumber(value)) : undefined
    case 'msgtype':
      return (
        number(MESSAGE_TYPES[value] ?? readNumber(value)) ??
        (/^[A-Z]\w+$/.test(value) ? { kind: 'text', name, operator, value } : undefined)
      )
    case 'fstype':
      return isEquality ? number(FILE_SYSTEMS[value] ?? readNumber(value)) : undefined
    default:
      return isEquality && TEXTS.includes(name) ? { kind: 'text', name, operator, value } : undefined
  }
}

/** The unset login uid, of processes that no login started. */
export const UNSET = 0xff_ff_ff_ff

/** Parses a number like strtoul with base 0, truncated to 32 bits. */
function readNumber(text: string): number | undefined {
  const [, sign, digits = ''] = /^(-?)(0x[\da-f]+|0[0-7]*|[1-9]\d*)$/i.exec(text) ?? []
  if (digits === '') return undefined
  const value = Number(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits)
  if (value > UNSET) return undefined
  return (sign === '-' ? -value : value) >>> 0
}

function readExit(text: string): number | undefined {
  const [, sign, name = ''] = /^(-?)(E[A-Z0-9]+)$/.exec(text) ?? []
  const number = ALIASES[name] ?? (name === '' ? -1 : ERRNO_NAMES.indexOf(name))
  if (number < 0) return name === '' ? readNumber(text) : undefined
  return (sign === '-' ? -number : number) >>> 0
}

const ALIASES: Readonly<Record<string, number>> = { EWOULDBLOCK: 11, EDEADLOCK: 35, ENOTSUP: 95 }

function mapDefined(value: number | undefined, map: (value: number) => number): number | undefined {
  return value === undefined ? undefined : map(value)
}

/** The normal form of a condition, without its option (`-F` or `-C`). */
export function printField(field: AuditField): string {
  const { kind, name, operator, value } = field
  return `${name}${operator}${kind === 'number' ? printNumber(name, value) : value}`
}

function printNumber(name: string, value: number): string {
  if (USERS.includes(name) || GROUPS.includes(name) || name === 'sessionid')
    return value === UNSET ? 'unset' : `${value}`
  if (ARGUMENTS.includes(name)) return `0x${value.toString(16).toUpperCase()}`
  if (name === 'exit') return printExit(value | 0)
  return keyOf(TABLES[name], value) ?? `${value}`
}

const TABLES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  filetype: FILE_TYPES,
  msgtype: MESSAGE_TYPES,
  fstype: FILE_SYSTEMS,
}

function keyOf(table: Readonly<Record<string, number>> | undefined, value: number): string | undefined {
  return Object.entries(table ?? {}).find(([, each]) => each === value)?.[0]
}

/** A negative exit value is an error number. */
function printExit(value: number): string {
  const name = value < 0 ? ERRNO_NAMES[-value] : undefined
  return name === undefined || name === '' ? `${value}` : `-${name}`
}

/** Whether the field takes a user name rather than a group name. */
export function isUserField(name: string): boolean {
  return USERS.includes(name)
}
