/** A piece of a word. */
export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean }
  /** `$name` or `${name}`, with what an operator does to it. */
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly isQuoted: boolean
      readonly operator?: string
      readonly operand?: Word
    }
  | { readonly kind: 'command'; readonly commands: readonly Command[]; readonly isQuoted: boolean }
  /** What is not understood, such as arithmetic, as it is written. */
  | { readonly kind: 'strange'; readonly text: string; readonly isQuoted: boolean }

/** One word as it is written. */
export type Word = readonly Part[]

/** A variable that gets a value in front of a command, or alone. */
export interface AssignmentWord {
  readonly name: string
  readonly value: Word
  /** Whether the value is put behind what is there. */
  readonly appends: boolean
}

/** What becomes of a redirection: one to a file may fail, and then what it stands at is not done. */
export type Redirection = 'none' | 'harmless' | 'may-fail'

interface Alternative {
  readonly patterns: readonly Word[]
  readonly body: Command
  /** Whether the body of the next one is run, too, or its patterns are compared. */
  readonly goesOn: boolean
}

/** One command of a shell. */
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
  /** What runs in a process of its own and is waited for; several are a pipe. */
  | { readonly kind: 'subshell'; readonly command: Command; readonly isPipe: boolean }
  | { readonly kind: 'background' }
  | { readonly kind: 'if'; readonly condition: Command; readonly then: Command; readonly otherwise: Command }
  | { readonly kind: 'while'; readonly condition: Command; readonly until: boolean; readonly body: Command }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[] | undefined; readonly body: Command }
  | { readonly kind: 'case'; readonly word: Word; readonly alternatives: readonly Alternative[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command }
  /** `[[ … ]]`, the words between. */
  | { readonly kind: 'condition'; readonly words: readonly Word[] }
  | { readonly kind: 'arithmetic'; readonly text: string }
  /** A compound command with a redirection. */
  | { readonly kind: 'redirected'; readonly command: Command; readonly redirection: Redirection }
  /** From here on it is unknown what is run. */
  | { readonly kind: 'opaque'; readonly reason: string }
)

/** The text of a word without anything to expand; undefined of any other. */
export function literalOf(word: Word): string | undefined {
  let text = ''
  for (const part of word) {
    if (part.kind !== 'text') return undefined
    text += part.text
  }
  return text
}

/** The text of a word without quotes, as reserved words are written. */
export function bareOf(word: Word): string | undefined {
  const [part, ...others] = word
  return part?.kind === 'text' && !part.isQuoted && others.length === 0 ? part.text : undefined
}
