export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean }
  /** `$name` or `${name}`, with its operator. */
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly isQuoted: boolean
      readonly operator?: string
      readonly operand?: Word
    }
  | { readonly kind: 'command'; readonly commands: readonly Command[]; readonly isQuoted: boolean }
  /** Unsupported syntax, such as arithmetic, as written. */
  | { readonly kind: 'strange'; readonly text: string; readonly isQuoted: boolean }

export type Word = readonly Part[]

/** Assignment before a command, or alone. */
export interface AssignmentWord {
  readonly name: string
  readonly value: Word
  /** Whether the assignment appends to the value (`+=`). */
  readonly appends: boolean
}

/** Effect of a redirection: one to a file may fail, and then its command is not run. */
export type Redirection = 'none' | 'harmless' | 'may-fail'

interface Alternative {
  readonly patterns: readonly Word[]
  readonly body: Command
  /** Whether the next body also runs (`;&`), or its patterns are compared (`;;&`). */
  readonly goesOn: boolean
}

export type Command = { readonly line: number } & (
  | {
      readonly kind: 'simple'
      readonly assignments: readonly AssignmentWord[]
      readonly words: readonly Word[]
      readonly redirection: Redirection
    }
  | { readonly kind: 'sequence'; readonly commands: readonly Command[] }
  | { readonly kind: 'and' | 'or'; readonly left: Command; readonly right: Command }
  | { readonly kind: 'not'; readonly command: Command }
  /** Commands in a subshell that the shell waits for; several form a pipe. */
  | { readonly kind: 'subshell'; readonly command: Command; readonly isPipe: boolean }
  | { readonly kind: 'background' }
  | { readonly kind: 'if'; readonly condition: Command; readonly then: Command; readonly otherwise: Command }
  | { readonly kind: 'while'; readonly condition: Command; readonly until: boolean; readonly body: Command }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[] | undefined; readonly body: Command }
  | { readonly kind: 'case'; readonly word: Word; readonly alternatives: readonly Alternative[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command }
  /** `[[ … ]]`, with the words in between. */
  | { readonly kind: 'condition'; readonly words: readonly Word[] }
  | { readonly kind: 'arithmetic'; readonly text: string }
  | { readonly kind: 'redirected'; readonly command: Command; readonly redirection: Redirection }
  /** The commands from here on are unknown. */
  | { readonly kind: 'opaque'; readonly reason: string }
)

/** Text of a word without expansions; undefined otherwise. */
export function literalOf(word: Word): string | undefined {
  let text = ''
  for (const part of word) {
    if (part.kind !== 'text') return undefined
    text += part.text
  }
  return text
}

/** Text of an unquoted word, such as a reserved word. */
export function bareOf(word: Word): string | undefined {
  const [part, ...others] = word
  return part?.kind === 'text' && !part.isQuoted && others.length === 0 ? part.text : undefined
}
