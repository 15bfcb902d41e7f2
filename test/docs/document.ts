export interface Block {
  /** What stands behind the opening fence: `yaml`, `console`, `sh`. */
  readonly language: string
  /** The file the block is, named by a comment `<!-- file: web.yaml -->` above it. */
  readonly file?: string
  readonly lines: readonly string[]
  /** Zero-based index of the line behind the opening fence. */
  readonly start: number
}

/** A command of a `console` block with what the document says it prints. */
export interface Command {
  readonly command: string
  readonly output: readonly string[]
}

const FENCE = /^```(\S*)\s*$/
const FILE = /^<!-- file: (\S+) -->$/

/** The fenced blocks of a document in their order. Throws for fences that are indented or never closed. */
export function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    if (/^\s+```/.test(lines[at] ?? '')) throw new Error(`line ${at + 1}: a fence must not be indented`)
    const language = FENCE.exec(lines[at] ?? '')?.[1]
    if (language === undefined) continue
    const end = lines.findIndex((line, index) => index > at && line === '```')
    if (end < 0) throw new Error(`line ${at + 1}: this fence is never closed`)
    const above = lines.slice(0, at).findLast((line) => line !== '')
    const file = FILE.exec(above ?? '')?.[1]
    blocks.push({ language, ...(file === undefined ? {} : { file }), lines: lines.slice(at + 1, end), start: at + 1 })
    at = end
  }
  return blocks
}

/** The commands of a `console` block: lines that start with `$ `, each with the lines that follow. */
export function commandsOf({ lines, start }: Block): readonly Command[] {
  const commands: { command: string; output: string[] }[] = []
  for (const [index, line] of lines.entries()) {
    const last = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] })
    else if (last === undefined) throw new Error(`line ${start + index + 1}: a console block starts with a command`)
    else last.output.push(line)
  }
  return commands
}

/** Whether a block is the definition of a pipeline, whose commands are run by tests of their own. */
export function isPipeline({ lines }: Pick<Block, 'lines'>): boolean {
  return lines.some((line) => /\bnpx driftgate /.test(line))
}
