import { withBlanksOfC } from '../../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { bareOf, literalOf, readStatements, shownWord, type Statement, type Word } from './grub-script.ts'

export interface BootEntry {
  /** Title in the menu, with `>` between submenus. */
  readonly title: string
  readonly file: string
  readonly line: number
  /** Script that wrote the entry into a generated file, if recorded. */
  readonly writtenBy: string | undefined
  readonly isRecovery: boolean
  /** Possible kernel command lines: several if the entry chooses at boot. */
  readonly commandLines: Reading<readonly string[]>
}

/** Possible values of variables, by name. */
export type Variables = ReadonlyMap<string, readonly Word[]>

export interface GrubScript {
  readonly file: string
  readonly commands: readonly Command[]
}

export interface Command {
  readonly name: string
  readonly line: number
  readonly words: readonly Word[]
  /** Enclosing menu entry and submenus, outermost first. */
  readonly blocks: readonly Block[]
  /** Whether the command runs conditionally. */
  readonly isConditional: boolean
  readonly writtenBy: string | undefined
}

/** Menu entry, submenu, or function body. */
export interface Block {
  readonly kind: string
  readonly title: string
  readonly words: readonly Word[]
  readonly line: number
}

const LEADING = new Set(['then', 'else', 'do', '!'])
const OPENING = new Set(['if', 'while', 'until', 'for'])
const CLOSING = new Set(['fi', 'done'])

/** Parses a GRUB script; unknown if a quote or block is not closed. */
export function parseGrubScript(text: string, file: string): Reading<GrubScript> {
  const statements = readStatements(text)
  if (statements === undefined) return unknown('invalid', `${file} has an unterminated quote`)
  const writers = writersOf(text)
  const blocks: Block[] = []
  const commands: Command[] = []
  let conditions = 0
  for (const statement of statements) {
    const words = withoutLeading(statement.words)
    const name = bareOf(words[0])
    if (name === '}') {
      if (blocks.pop() === undefined) return unknown('invalid', `${file}:${statement.line}: unexpected "}"`)
      continue
    }
    if (name !== undefined && CLOSING.has(name)) conditions -= 1
    const block = blockOf(statement, words)
    if (block !== undefined) blocks.push(block)
    else if (words.length > 0) {
      commands.push({
        name: name ?? '',
        line: statement.line,
        words,
        blocks: [...blocks],
        isConditional: conditions > 0,
        writtenBy: writers(statement.line),
      })
    }
    if (name !== undefined && OPENING.has(name)) conditions += 1
  }
  if (blocks.length > 0 || conditions !== 0) return unknown('invalid', `${file} ends inside a block`)
  return known({ file, commands })
}

function withoutLeading(words: readonly Word[]): readonly Word[] {
  const first = words.findIndex((word) => !LEADING.has(bareOf(word) ?? ''))
  return first === -1 ? [] : words.slice(first)
}

function blockOf({ line }: Statement, words: readonly Word[]): Block | undefined {
  if (words.length === 0 || bareOf(words.at(-1)) !== '{') return undefined
  return { kind: bareOf(words[0]) ?? '', title: shownWord(words[1]), words: words.slice(1, -1), line }
}

/** Generator of a line: `### BEGIN /etc/grub.d/10_linux ###` comes before its output. */
function writersOf(text: string): (line: number) => string | undefined {
  const marks = text.split('\n').flatMap((written, index): (readonly [number, string | undefined])[] => {
    const [, what, path] = withBlanksOfC(/^### (BEGIN|END) (\S+) ###$/).exec(written) ?? []
    return what === undefined ? [] : [[index + 1, what === 'BEGIN' ? path : undefined]]
  })
  return (line) => marks.findLast(([at]) => at <= line)?.[1]
}

/** Possible values of variables from the environment and all assignments of the scripts. */
export function variablesOf(scripts: readonly GrubScript[], environment: ReadonlyMap<string, string>): Variables {
  const variables = new Map<string, readonly Word[]>()
  for (const [name, value] of environment) variables.set(name, [[{ kind: 'text', text: value, quoted: false }]])
  for (const { name, words } of scripts.flatMap(({ commands }) => commands)) {
    const assigned = name === 'set' ? assignmentOf(words[1]) : words.length === 1 ? assignmentOf(words[0]) : undefined
    // The script assigns kernelopts only if the environment does not set it.
    if (assigned === undefined || (assigned.name === 'kernelopts' && environment.has('kernelopts'))) continue
    variables.set(assigned.name, [...(variables.get(assigned.name) ?? []), assigned.value])
  }
  return variables
}

/** Parses a word such as `name=value`. */
export function assignmentOf(word: Word | undefined): { readonly name: string; readonly value: Word } | undefined {
  const [first, ...others] = word ?? []
  if (first === undefined || first.kind === 'variable') return undefined
  const [, name, start] = /^([A-Za-z_]\w*)=([^]*)$/.exec(first.text) ?? []
  if (name === undefined || start === undefined) return undefined
  return { name, value: [{ ...first, text: start }, ...others] }
}

const MOST_ALTERNATIVES = 64
const DEEPEST = 8

/** Expansions of words for all possible variable values; undefined if there are too many. */
function expansionsOf(words: readonly Word[], variables: Variables): readonly (readonly string[])[] | undefined {
  let all: readonly (readonly string[])[] = [[]]
  for (const word of words) {
    const texts = textsOf(word, variables, 0)
    if (texts === undefined || texts.length * all.length > MOST_ALTERNATIVES) return undefined
    all = all.flatMap((before) => texts.map((parts) => [...before, ...splitAtSpaces(parts)]))
  }
  return all
}

interface Text {
  readonly text: string
  readonly quoted: boolean
}

function textsOf(word: Word, variables: Variables, depth: number): readonly (readonly Text[])[] | undefined {
  let all: readonly (readonly Text[])[] = [[]]
  for (const { kind, text, quoted } of word) {
    const here = kind === 'text' ? [[{ text, quoted }]] : valuesOf({ name: text, quoted }, variables, depth)
    if (here === undefined || here.length * all.length > MOST_ALTERNATIVES) return undefined
    all = all.flatMap((before) => here.map((each) => [...before, ...each]))
  }
  return all
}

function valuesOf(
  { name, quoted }: { readonly name: string; readonly quoted: boolean },
  variables: Variables,
  depth: number,
): readonly (readonly Text[])[] | undefined {
  const values = variables.get(name)
  // Unset variables are empty.
  if (values === undefined) return [[{ text: '', quoted }]]
  if (depth >= DEEPEST) return undefined
  const all: (readonly Text[])[] = []
  for (const value of values) {
    const texts = textsOf(value, variables, depth + 1)
    if (texts === undefined) return undefined
    all.push(...texts.map((parts) => [{ text: parts.map(({ text }) => text).join(''), quoted }]))
  }
  return all
}

/** Unquoted variables are split at spaces. */
function splitAtSpaces(parts: readonly Text[]): readonly string[] {
  const words: string[] = []
  let current: string | undefined
  for (const { text, quoted } of parts) {
    const pieces = quoted ? [text] : text.split(/[ \t\n]+/)
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && current !== undefined) words.push(current)
      if (index > 0) current = undefined
      if (piece !== '' || quoted) current = (current ?? '') + piece
    }
  }
  return current === undefined ? words : [...words, current]
}

const LINUX = /^linux(?:16|efi)?$/
const MODULE = /^module2?$/
const MULTIBOOT = /^multiboot2?$/

/** Entries of a script that boot Linux on this machine, including those in submenus and functions. */
export function linuxEntriesOf({ file, commands }: GrubScript, variables: Variables): readonly BootEntry[] {
  const entries = new Map<number, { readonly command: Command; readonly lines: string[]; isUnclear: boolean }>()
  for (const command of commands) {
    const key = entryOf(command)?.line ?? -command.line
    if (!isStart(command, commands) || isForeign(command)) continue
    const entry = entries.get(key) ?? { command, lines: [], isUnclear: false }
    entries.set(key, entry)
    const expansions = expansionsOf(command.words.slice(1), variables)
    if (expansions === undefined) entry.isUnclear = true
    else entry.lines.push(...expansions.filter(([kernel]) => !isTool(kernel)).map(([, ...rest]) => loaderLine(rest)))
  }
  return [...entries.values()]
    .filter(({ lines, isUnclear }) => isUnclear || lines.length > 0)
    .map(({ command, lines, isUnclear }) => ({
      title: titleOf(command),
      file,
      line: command.line,
      writtenBy: command.writtenBy,
      isRecovery: isRecovery(command),
      commandLines: isUnclear
        ? unknown('not-observable', `${file}:${command.line}: the values of its variables are unknown`)
        : known([...new Set(lines)]),
    }))
}

function entryOf({ blocks }: Command): Block | undefined {
  return blocks.findLast(({ kind }) => kind !== 'submenu')
}

/** Under a hypervisor, the first module is the kernel. */
function isStart(command: Command, commands: readonly Command[]): boolean {
  if (LINUX.test(command.name)) return true
  if (!MODULE.test(command.name)) return false
  const entry = entryOf(command)
  const within = commands.filter((each) => entryOf(each)?.line === entry?.line)
  return within.some(({ name }) => MULTIBOOT.test(name)) && within.find(({ name }) => MODULE.test(name)) === command
}

/** os-prober adds entries of other systems. */
function isForeign({ writtenBy, blocks }: Command): boolean {
  return (
    writtenBy?.endsWith('/30_os-prober') === true ||
    blocks.some(({ words }) => words.some((word) => literalOf(word)?.startsWith('osprober-') === true))
  )
}

function isTool(kernel: string | undefined): boolean {
  return /(?:^|\/)memtest[^/]*$/.test(kernel ?? '')
}

function isRecovery({ blocks }: Command): boolean {
  return blocks.some(
    ({ title, words }) =>
      /\((?:recovery mode|rescue)[^)]*\)|\brescue\b/i.test(title) ||
      words.some((word) => /^gnulinux-.*-recovery-/.test(literalOf(word) ?? '')),
  )
}

function titleOf({ blocks, line }: Command): string {
  const titles = blocks.map(({ title }) => title)
  return titles.length === 0 ? `line ${line}` : titles.join(' > ')
}

/** Joins words like GRUB: words with spaces are quoted, special characters get a backslash. */
function loaderLine(words: readonly string[]): string {
  return words
    .map((word) => {
      const escaped = word.replaceAll(/["'\\]/g, '\\$&')
      return word.includes(' ') ? `"${escaped}"` : escaped
    })
    .join(' ')
}
