// The reference of commands: the help of each one, as the command prints it.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { loadSources } from '../build/load-sources.mjs'

const SOURCES = `export { commands } from './src/cli/commands/index.ts'
  export { withSubcommands } from './src/cli/command.ts'`

/** The pages by their path in the project. */
export async function commandPages(root) {
  const { commands, withSubcommands } = await loadSources(root, SOURCES)
  return withSubcommands(commands).map(({ name, summary }) => {
    const args = [join(root, 'dist/bin/driftgate.js'), ...name.split(' '), '--help']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`driftgate ${name} --help ended with ${status}: ${stderr}`)
    const text = `# driftgate ${name}\n\n${summary}.\n\n\`\`\`text\n${stdout.trimEnd()}\n\`\`\`\n`
    return [`docs/reference/commands/${name.replaceAll(' ', '-')}.md`, text]
  })
}
