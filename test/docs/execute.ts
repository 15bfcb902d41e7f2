import { blocksOf, type Block, type Command, commandsOf } from './document.ts'
import type { Machine } from './machine.ts'

/** A line of an output that stands for any number of lines. */
const REST = '…'

/**
 * The document with what its commands really print in place of what it says they print: for a document that is true, the
 * document itself. Files are written and commands are run in the order they stand in. A command that fails is followed
 * by `$ echo $?`, so that a document cannot pass a failure over.
 */
export function execute(markdown: string, machine: Machine): string {
  const lines = markdown.split('\n')
  const rewritten: string[] = []
  let at = 0
  for (const block of blocksOf(markdown)) {
    rewritten.push(...lines.slice(at, block.start))
    if (block.file !== undefined) machine.write(block.file, block.lines.map((line) => `${line}\n`).join(''))
    rewritten.push(...(block.language === 'console' ? executeConsole(block, machine) : block.lines))
    at = block.start + block.lines.length
  }
  return [...rewritten, ...lines.slice(at)].join('\n')
}

function executeConsole(block: Block, machine: Machine): readonly string[] {
  let previousCode = 0
  const commands = commandsOf(block)
  return commands.flatMap(({ command, output }, index) => {
    const { code, output: printed } = machine.run(command, previousCode)
    previousCode = code
    const actual = printed === '' ? [] : printed.replace(/\n$/, '').split('\n')
    const told = [`$ ${command}`, ...(fits({ command, output }, actual) ? output : actual)]
    const isAsked = commands[index + 1]?.command === 'echo $?'
    return code === 0 || isAsked ? told : [...told, '$ echo $?', String(code)]
  })
}

/** Whether an output is the one that is written down; `…` leaves some lines of it out. */
function fits({ output }: Command, actual: readonly string[]): boolean {
  const pattern = output.map((line) => (line === REST ? '(?:.*\n)*' : `${escape(line)}\n`))
  return new RegExp(`^${pattern.join('')}$`).test(actual.map((line) => `${line}\n`).join(''))
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
