import { baseName } from '../../model/file-name.ts'

export interface StoredAssignment {
  /** The parameter as a path below /proc/sys, or a pattern of such paths. */
  readonly key: string
  /** Value to write; absent for `-key` alone, which excludes the parameter from patterns. */
  readonly value?: string
  readonly file: string
  /** From 1. */
  readonly line: number
  /** What to change where no line says it. */
  readonly remedy?: string
  /** Why its value is unknown. */
  readonly doubt?: string
}

/** Parameters set at boot: lists that are applied in order, each in the order in which it is read. */
export interface StoredSysctl {
  readonly lists: readonly (readonly StoredAssignment[])[]
}

/** Directories of systemd-sysctl: a file hides files of the same name in later ones. @see sysctl.d(5) */
export const SYSCTL_DIRECTORIES = [
  '/etc/sysctl.d',
  '/run/sysctl.d',
  '/usr/local/lib/sysctl.d',
  '/usr/lib/sysctl.d',
  '/lib/sysctl.d',
] as const

/**
 * The path below /proc/sys of a parameter name. If its first separator is a dot, dots and slashes are swapped, so that
 * `net.ipv4.conf.eth0/100.rp_filter` and `net/ipv4/conf/eth0.100/rp_filter` are equal. @see sysctl.d(5)
 */
export function sysctlPath(name: string): string {
  const first = /[./]/.exec(name)?.[0]
  const path = first === '.' ? name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.')) : name
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.join('/')
}

const GLOB = /[*?[]/

/** Parses the assignments of a file as systemd-sysctl does: invalid lines are ignored. */
export function parseSysctlConf(text: string, file: string): readonly StoredAssignment[] {
  return text.split('\n').flatMap((written, index): StoredAssignment[] => {
    const line = index + 1
    const [, isOptional, key = '', assigned] = /^(-?)([^=]*)(?:=(.*))?$/s.exec(strip(written)) ?? []
    if (/^[#;]/.test(key) || (isOptional === '' && assigned === undefined)) return []
    const path = sysctlPath(strip(key))
    return path === '' ? [] : [{ key: path, file, line, ...(assigned === undefined ? {} : { value: strip(assigned) }) }]
  })
}

/** Trims spaces, tabs and line ends as the C code of both programs does, not other Unicode spaces. */
function strip(text: string): string {
  return text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')
}

/** The effective assignment, if any, or an unsupported pattern that may match the parameter. */
export type Winner =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly assignment: StoredAssignment & { readonly value: string } }
  | { readonly kind: 'unclear'; readonly assignment: StoredAssignment }

const NONE: Winner = { kind: 'none' }

/** Value of a parameter after all lists are applied. */
export function winnerOf({ lists }: StoredSysctl, path: string): Winner {
  return lists.reduce<Winner>((before, list) => {
    const winner = winnerOfList(list, path)
    return winner.kind === 'none' ? before : winner
  }, NONE)
}

/**
 * An assignment of the parameter itself overrides every pattern, regardless of order; otherwise the last one applies. An
 * assignment that repeats the value of an earlier one with the same key keeps its position, which matters among patterns.
 */
function winnerOfList(list: readonly StoredAssignment[], path: string): Winner {
  const settled = new Map<string, StoredAssignment>()
  for (const assignment of list) {
    const { key, value } = assignment
    const earlier = settled.get(key)
    if (earlier !== undefined && earlier.value === value) continue
    settled.delete(key)
    settled.set(key, assignment)
  }
  const explicit = settled.get(path)
  if (explicit !== undefined) return asWinner(explicit)
  const patterns = [...settled.values()].filter(({ key, value }) => GLOB.test(key) && value !== undefined)
  const unclear = patterns.find(({ key }) => globExpression(key) === undefined)
  if (unclear !== undefined) return { kind: 'unclear', assignment: unclear }
  const last = patterns.findLast(({ key }) => globExpression(key)?.test(path))
  return last === undefined ? NONE : asWinner(last)
}

function asWinner(assignment: StoredAssignment): Winner {
  const { value, doubt } = assignment
  if (doubt !== undefined) return { kind: 'unclear', assignment }
  return value === undefined ? NONE : { kind: 'set', assignment: { ...assignment, value } }
}

/** How long a part of a path may be: of a longer pattern glob(3) finds nothing. */
const LONGEST = 255

/** The paths that a glob(3) pattern matches; undefined for braces, backslashes and named classes, which are not supported. */
function globExpression(pattern: string): RegExp | undefined {
  if (/[{}\\]|\[[!^]?\]|\[[^\]]*(?:[[/]|$)/.test(pattern) || pattern.length > LONGEST) return undefined
  const source = pattern.replace(
    /\[([!^]?)([^\]]+)\]|[^[]/g,
    (token, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) return `(?!/)[${not === '' ? '' : '^'}${set.replace(/[\\^]/g, '\\$&')}]`
      if (token === '*') return '[^/]*'
      if (token === '?') return '[^/]'
      return token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
    },
  )
  // A wildcard at the start of a file name does not match a dot.
  return new RegExp(`^(?!.*/\\.)${source}$`)
}

/** The assignments with this content in a file of /etc/sysctl.d, which no other file hides. */
export function withFile(stored: StoredSysctl, file: string, text: string): StoredSysctl {
  const [first = [], ...others] = stored.lists
  const before = first.filter((assignment) => assignment.file !== file)
  const at = before.findIndex((other) => other.file === '/etc/sysctl.conf' || compareFileNames(other.file, file) > 0)
  return { lists: [before.toSpliced(at === -1 ? before.length : at, 0, ...parseSysctlConf(text, file)), ...others] }
}

/** Order in which files are read: by name, across directories, bytewise. */
export function compareFileNames(left: string, right: string): number {
  return Buffer.compare(Buffer.from(baseName(left)), Buffer.from(baseName(right)))
}
