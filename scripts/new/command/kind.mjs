// A command: its two files, its test, and its place in the list of commands.
import { identifierOf, pascalOf } from '../identifiers.mjs'

export const summary = 'a command: what it is called, its options, and what it does'

export const generates = false

const COMMAND_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const LONGEST_NAME = 20

export function nameProblem(name) {
  if (name === 'help') return 'a command cannot be called "help": driftgate help explains the others'
  if (COMMAND_NAME.test(name) && name.length <= LONGEST_NAME) return undefined
  return `a command cannot be called "${name}": it is a short word of small letters, or several with - between them, such as check-host`
}

export function owns(name) {
  return [`src/cli/commands/${name}`, `test/cli/commands/${name}`]
}

export function files(name) {
  return {
    'index.ts': `src/cli/commands/${name}/index.ts`,
    'run.ts': `src/cli/commands/${name}/run.ts`,
    'run.test.ts': `test/cli/commands/${name}/run.test.ts`,
  }
}

export function words(name) {
  return { __command__: name, __ident__: identifierOf(name, 'Command'), __Name__: pascalOf(name) }
}

export function edits(name) {
  return { 'src/cli/commands/index.ts': (text) => register(text, name) }
}

/** Adds the command to the end of those that help lists, and its import where the alphabet has it. */
function register(text, name) {
  const identifier = identifierOf(name, 'Command')
  const lines = text.split('\n')
  const isLater = (line) => (/^import .* from '\.\/([^/]+)\/index\.ts'$/.exec(line)?.[1] ?? '') > name
  const later = lines.findIndex(isLater)
  const at = later < 0 ? lines.indexOf('') : later
  const imported = lines.toSpliced(at, 0, `import { ${identifier} } from './${name}/index.ts'`).join('\n')
  const listed = imported.replace(/(const work: readonly Command\[\] = \[\n(?: {2}\w+,\n)*)\]/, `$1  ${identifier},\n]`)
  if (listed === imported) throw new Error('src/cli/commands/index.ts has no list to add a command to')
  return listed
}

export function next(name) {
  return [
    `driftgate ${name} is there and works: it prints the words it is given. Now make it what it is to be:`,
    `- src/cli/commands/${name}/index.ts says what it is for; its place in help is that in src/cli/commands/index.ts.`,
    `- Options that other commands have, too, are in src/cli/options: take them instead of writing them again.`,
    `- run.ts is loaded when the command runs, so it imports what it needs at its top.`,
    `- npx vitest run test/cli/commands/${name} tests it without a build; a test in test/e2e runs the built command.`,
    `- A guide in docs/guide should tell of it, and CHANGELOG.md.`,
  ]
}
