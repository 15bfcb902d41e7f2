import { known, type Reading, unknown } from '../../../model/observation.ts'

/** A word of a file for nft; `\n` for what ends a statement. */
export interface NftWord {
  readonly text: string
  /** Whether it is in quotes, which a keyword is not. */
  readonly isQuoted?: true
  readonly file: string
  readonly line: number
}

/** Line of a comment, comment, continued line, end of a statement, text in quotes, sign, variable, or word. */
const WORD =
  /(?<=^[ \t]*)#[^\n]*\n|#[^\n]*|\\\n|[ \t]+|(?<end>[\n;])|"(?<quoted>[^"\n\\]*)"|(?<sign>[{}(),=]|!=|==)|(?<word>\$?[\w./:*@+-]+)/my

/** The words of a file for nft; unknown for a character that no word here has. */
export function nftWords(text: string, file: string): Reading<readonly NftWord[]> {
  const words: NftWord[] = []
  let line = 1
  WORD.lastIndex = 0
  while (WORD.lastIndex < text.length) {
    const at = WORD.lastIndex
    const match = WORD.exec(text)
    if (match === null) return unclear({ text: text.charAt(at), file, line })
    const { end, quoted, sign, word } = match.groups ?? {}
    if (end !== undefined) words.push({ text: '\n', file, line })
    if (quoted !== undefined) words.push({ text: quoted, isQuoted: true, file, line })
    const bare = sign ?? word
    if (bare !== undefined)
      words.push(...(word === undefined ? [bare] : splitColons(bare)).map((each) => ({ text: each, file, line })))
    line += match[0].split('\n').length - 1
  }
  return known([...words, { text: '\n', file, line }])
}

/** A colon separates a key of a map from its verdict, but not within an IPv6 address. */
function splitColons(word: string): readonly string[] {
  if (!word.includes(':') || word.includes('::') || word.split(':').length > 2) return [word]
  return word.split(/(:)/).filter((each) => each !== '')
}

/** Why a file is not judged: one statement that is not understood may be one that nft refuses, with the whole file. */
export function unclear({ text, file, line }: NftWord): ReturnType<typeof unknown> {
  return unknown(
    'not-observable',
    `${file}:${line}: cannot tell what nft makes of "${text === '\n' ? 'the end of the line' : text}"`,
  )
}

/** A name of a table or chain that is no word of the grammar. */
export const NAME =
  /^(?!(?:accept|add|comment|continue|counter|ct|drop|flags|flow|goto|icmp|icmpv6|iif|iifname|ip|ip6|jump|last|limit|log|map|mark|meta|oif|oifname|policy|priority|queue|quota|redirect|reject|return|rule|set|snat|dnat|synproxy|table|chain|tcp|th|type|udp|vlan|hook|device|state|time|hour|day|numgen|osf|rt|fib|socket|tproxy|exthdr|hash|ether|arp|all|over|until|rate|burst|with|to|as|at|inet|bridge|netdev)$)[A-Za-z_][\w-]*$/

/** A word whose meaning is not certain. */
export class NotUnderstood extends Error {}

/** Words that are read one after the other. */
export class Words {
  readonly #words: readonly NftWord[]
  #at = 0

  constructor(words: readonly NftWord[]) {
    this.#words = words
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length
  }

  /** The next word where it is no text in quotes. */
  peek(ahead = 0): string | undefined {
    const word = this.#words[this.#at + ahead]
    return word?.isQuoted === true ? undefined : word?.text
  }

  /** The word that was read last, for messages. */
  get last(): NftWord | undefined {
    return this.#words[Math.min(this.#at, this.#words.length) - 1]
  }

  next(): NftWord {
    const word = this.#words[this.#at++]
    if (word === undefined) throw new NotUnderstood()
    return word
  }

  takeIf(...texts: readonly string[]): boolean {
    if (!texts.every((text, index) => this.peek(index) === text)) return false
    this.#at += texts.length
    return true
  }

  expect(pattern: RegExp): string {
    const text = this.peek()
    if (text === undefined || !pattern.test(text)) throw new NotUnderstood()
    return this.next().text
  }
}
