import { dirname, resolve } from 'node:path'
import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown, readLists } from '../../model/observation.ts'
import { ANY_KEY, type Assignment, type Block } from '../assignment.ts'
import { expandGlob } from '../glob.ts'
import { readOnlyCommand, type ShortOption, shortOptions } from '../service-command.ts'
import type { ConfigFiles } from '../surface.ts'
import { meaningOf } from './directives.ts'
import { type Directive, parseNginx } from './parse.ts'

/** The main file in packages of all families. */
export const MAIN = '/etc/nginx/nginx.conf'

/** Where the packages have relative paths begin. */
export const PREFIX = '/usr/share/nginx'

/** The options of nginx(8) that take a value. */
const WITH_VALUE = 'cegp'

interface Command {
  readonly main: string
  /** The options that choose and extend its configuration. */
  readonly options: readonly string[]
  /** Directives outside of all blocks. */
  readonly placed: readonly Placed[]
}

/** What the unit gives nginx: its main file (`-c`, below the prefix `-p`) and directives (`-g`). @see nginx(8) */
function readCommand(files: ConfigFiles): Reading<Command> {
  const words = readOnlyCommand(files, ['nginx.service'], ['nginx'])
  const options = words.kind === 'unknown' ? words : shortOptions(words.value, WITH_VALUE)
  if (options.kind === 'unknown') return options
  const last = (letter: string): ShortOption | undefined => options.value.findLast((option) => option.letter === letter)
  const globals = last('g')
  const parsed = parseNginx(globals?.value ?? '', globals?.file ?? '')
  if (parsed.kind === 'unknown') return parsed
  const { file = '', line = 1 } = globals ?? {}
  const placed = parsed.value.map(({ name, args, start, end }) => ({ name, args, start, end, file, line }))
  const chosen = options.value.filter(({ letter }) => /[cgp]/.test(letter))
  const own = chosen.flatMap((option) => [`-${option.letter}`, option.value ?? ''])
  return known({ options: own, main: resolve(last('p')?.value ?? PREFIX, last('c')?.value ?? MAIN), placed })
}

/** The main file; that of the packages if the command line of the unit is unclear. */
export function mainOf(files: ConfigFiles): string {
  const command = readCommand(files)
  return command.kind === 'known' ? command.value.main : MAIN
}

/** Maximum depth of includes. */
const DEEPEST = 20

/** A directive with its file; includes are replaced by their content. */
export interface Placed extends Omit<Directive, 'block'> {
  readonly file: string
  readonly block?: readonly Placed[]
}

/** The whole configuration, as printed by `nginx -T`. */
export function readPlaced(files: ConfigFiles, notes: Notes = {}): Reading<readonly Placed[]> {
  const command = readCommand(files)
  if (command.kind === 'unknown') return command
  const { main, placed } = command.value
  const read = placedIn(files, { file: main, base: dirname(main), ...notes }, 0)
  return read.kind === 'unknown' ? read : known([...placed, ...read.value])
}

/** The options of the unit that choose and extend the configuration; undefined if they are unclear. */
export function readOptions(files: ConfigFiles): readonly string[] | undefined {
  const command = readCommand(files)
  return command.kind === 'known' ? command.value.options : undefined
}

/** The text of each file by path, in reading order. */
export function readTexts(files: ConfigFiles): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  readPlaced(files, { texts })
  return texts
}

/** The directories in which includes look for files, whether they find one or not. */
export function readIncludeDirectories(files: ConfigFiles): Reading<readonly string[]> {
  const found = new Set<string>()
  const read = readPlaced(files, { directories: found })
  return read.kind === 'unknown' ? read : known([...found])
}

/** Receives what else is of interest of a configuration. */
interface Notes {
  readonly directories?: Set<string>
  readonly texts?: Map<string, string>
}

interface Source extends Notes {
  readonly file: string
  /** The directory of the main file, to which includes are relative. */
  readonly base: string
}

function placedIn(files: ConfigFiles, source: Source, depth: number): Reading<readonly Placed[]> {
  const { file, texts } = source
  if (depth > DEEPEST) return unknown('invalid', `${file}: includes are nested too deeply`)
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  if (text.value === null) return unknown('invalid', `${file} does not exist, so nginx does not start`)
  const kind = files.kind(file)
  if (kind.kind === 'known' && kind.value === 'directory')
    return unknown('invalid', `${file} is a directory, so nginx does not start`)
  texts?.set(file, text.value)
  const parsed = parseNginx(text.value, file)
  return parsed.kind === 'unknown' ? parsed : withIncludes(files, parsed.value, source, depth)
}

function withIncludes(
  files: ConfigFiles,
  directives: readonly Directive[],
  source: Source,
  depth: number,
): Reading<readonly Placed[]> {
  const placed: Placed[] = []
  for (const { block, ...directive } of directives) {
    if (directive.name === 'include' && block === undefined) {
      const included = includedBy(files, directive.args[0] ?? '', source, depth)
      if (included.kind === 'unknown') return included
      placed.push(...included.value)
      continue
    }
    const inner = block === undefined ? known(undefined) : withIncludes(files, block, source, depth)
    if (inner.kind === 'unknown') return inner
    placed.push({ ...directive, file: source.file, ...defined({ block: inner.value }) })
  }
  return known(placed)
}

function includedBy(files: ConfigFiles, written: string, source: Source, depth: number): Reading<readonly Placed[]> {
  const { base, directories } = source
  const within = expandGlob(files, dirname(resolve(base, written)))
  for (const path of within.kind === 'known' ? within.value : []) directories?.add(path)
  const paths = expandGlob(files, resolve(base, written))
  if (paths.kind === 'unknown') return paths
  return readLists(paths.value, (path) => placedIn(files, { ...source, file: path }, depth + 1))
}

/** All supported directives with their blocks, and each block itself. */
export function assignmentsOf(placed: readonly Placed[]): readonly Assignment[] {
  const all: Assignment[] = []
  collect(placed, rootOf(placed), all)
  return all
}

function rootOf(placed: readonly Placed[]): Block {
  return { kind: 'main', label: '', lists: listsIn(placed), isTls: false, isWeb: false }
}

const NESTED = /^(?:http|stream|mail|server|location|if|limit_except)$/

function collect(placed: readonly Placed[], block: Block, all: Assignment[]): void {
  const [first] = placed
  all.push({ section: '', key: ANY_KEY, value: '', file: first?.file ?? MAIN, line: first?.line ?? 1, block })
  for (const directive of placed) {
    if (directive.block !== undefined) {
      if (NESTED.test(directive.name)) collect(directive.block, innerOf(block, directive, directive.block), all)
      continue
    }
    const meaning = meaningOf(directive.name, directive.args)
    if (meaning !== undefined) all.push({ section: '', ...meaning, file: directive.file, line: directive.line, block })
  }
}

function innerOf(parent: Block, { name, args, file, line }: Placed, placed: readonly Placed[]): Block {
  const isServer = name === 'server'
  const called = isServer ? placed.find((each) => each.name === 'server_name')?.args[0] : args.join(' ')
  const own = [name, called].filter((each) => each !== undefined && each !== '').join(' ')
  const isBelow = parent.kind === 'server' || parent.kind === 'inner'
  return {
    kind: isServer ? 'server' : isBelow ? 'inner' : 'group',
    label: isBelow ? `${own} of ${parent.label}` : `${own} (${file}:${line})`,
    parent,
    lists: listsIn(placed),
    isTls: isServer ? placed.some(isTlsListener) : parent.isTls,
    isWeb: name === 'http' || parent.isWeb,
  }
}

function isTlsListener({ name, args }: Placed): boolean {
  return (name === 'listen' && (args.includes('ssl') || args.includes('quic'))) || (name === 'ssl' && args[0] === 'on')
}

function listsIn(placed: readonly Placed[]): ReadonlySet<string> {
  return new Set(placed.map(({ name }) => name))
}
