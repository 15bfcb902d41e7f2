import { dirname, join } from 'node:path'
import type { AccountCommand } from '../../subjects/accounts/accounts.ts'
import type { Target } from '../../host/target.ts'
import type { Intent } from './recorder.ts'

/** What a step touches. */
export interface Things extends Intent {
  readonly things: NonNullable<Intent['things']>
}

/** Paths, each with all that is there. */
export function wholes(paths: readonly string[]): Things {
  return { things: paths.map((name) => ({ kind: 'path', name })) }
}

/** A path, and where it leads behind links, because what is there is what gets written to. */
export function withTarget(target: Target, path: string): readonly string[] {
  const real = target.realPath(path)
  return real.kind === 'known' && real.value !== null && real.value !== path ? [path, real.value] : [path]
}

/** Paths of which the mode, the owner and what lies beyond them are all that changes. */
export function attributesOf(paths: readonly string[]): Things {
  return { things: paths.map((name) => ({ kind: 'attributes', name })) }
}

/** Links, with the directories that are made for them and those that may be left empty. */
export function linksOf(target: Target, paths: readonly string[]): Things {
  const directories = [...new Set(paths.map((path) => dirname(path)))]
  const missing = new Set(paths.flatMap((path) => missingAbove(target, path)))
  const present = directories.filter((directory) => !missing.has(directory))
  return {
    things: [...attributesOf([...missing]).things, ...wholes(paths).things, ...attributesOf(present).things],
  }
}

/** A directory that is made or changed. A link in its place goes, so that is kept as a whole. */
export function directoryOf(target: Target, path: string): Intent {
  const above = attributesOf(missingAbove(target, path)).things
  const seen = target.lstat(path)
  const isLink = seen.kind === 'present' && seen.state.kind === 'symlink'
  return { things: [...above, ...(isLink ? wholes([path]) : attributesOf([path])).things] }
}

/** The directories above a path that are not there, the outermost first. */
export function missingAbove(target: Target, path: string): readonly string[] {
  const above = dirname(path)
  return above === path || target.lstat(above).kind !== 'absent' ? [] : [...missingAbove(target, above), above]
}

/** The attributes of a path and of all that is below it. */
export function withBelow(target: Target, path: string): Intent {
  const seen = target.lstat(path)
  const isDirectory = seen.kind === 'present' && seen.state.kind === 'directory'
  if (seen.kind !== 'unknown' && !isDirectory) return attributesOf([path])
  const below = target.listTree(path)
  if (below.kind === 'unknown')
    return { ...attributesOf([path]), lost: `owners that could not be read: ${below.detail}` }
  return attributesOf([path, ...below.value.map(({ path: inside }) => join(path, inside))])
}

/** What useradd makes beside the records of an account. */
export function madeWith({ probe }: Target, [program, ...args]: AccountCommand): readonly string[] {
  const name = args.at(-1)
  if (program !== 'useradd' || name === undefined) return []
  const given = args.indexOf('-d')
  const home = (given < 0 ? undefined : args[given + 1]) ?? `${homesOf(probe)}/${name}`
  return [...(args.includes('-M') ? [] : [home]), `${mailboxesOf(probe)}/${name}`]
}

/** @see login.defs(5) */
function mailboxesOf(probe: Target['probe']): string {
  const defs = probe.readText('/etc/login.defs')
  const text = defs.kind === 'known' ? (defs.value ?? '') : ''
  return /^\s*MAIL_DIR\s+(\/\S+)/m.exec(text)?.[1] ?? '/var/mail'
}

/** @see useradd(8), "Changing the default values" */
function homesOf(probe: Target['probe']): string {
  const defaults = probe.readText('/etc/default/useradd')
  const text = defaults.kind === 'known' ? (defaults.value ?? '') : ''
  return /^HOME=(.+)$/m.exec(text)?.[1] ?? '/home'
}
