/** A command as the runner of GitHub Actions understands it. */
export interface WorkflowCommand {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

/** What the runner takes for a command: the old form is looked for anywhere in a line. */
const NAMES = ['error', 'warning', 'notice', 'debug', 'set-output', 'add-mask', 'stop-commands', 'group', 'endgroup']

/**
 * Reads a log as the runner does (ActionCommand.cs): line by line, `::name properties::data` after blanks, else
 * `##[name properties]data` wherever it stands.
 */
export function parseWorkflowLog(log: string): readonly (WorkflowCommand | string)[] {
  return log.split(/\r\n|\r|\n/).map((line) => parseNewForm(line) ?? parseOldForm(line) ?? line)
}

function parseNewForm(line: string): WorkflowCommand | undefined {
  const text = line.trimStart()
  if (!text.startsWith('::')) return undefined
  const end = text.indexOf('::', 2)
  if (end < 0) return undefined
  return build(text.slice(2, end), text.slice(end + 2), ',')
}

function parseOldForm(line: string): WorkflowCommand | undefined {
  const start = line.indexOf('##[')
  if (start < 0) return undefined
  const end = line.indexOf(']', start)
  if (end < 0) return undefined
  return build(line.slice(start + 3, end), line.slice(end + 1), ';')
}

function build(head: string, data: string, separator: string): WorkflowCommand | undefined {
  const space = head.indexOf(' ')
  const name = space < 0 ? head : head.slice(0, space)
  if (!NAMES.includes(name)) return undefined
  const pairs =
    space < 0
      ? []
      : head
          .slice(space + 1)
          .trim()
          .split(separator)
  const properties = pairs.flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at < 0 || at === pair.length - 1 ? [] : [[pair.slice(0, at), unescapeProperty(pair.slice(at + 1))]]
  })
  return { name, properties: Object.fromEntries(properties), data: unescapeData(data) }
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}

function unescapeProperty(text: string): string {
  const signs = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':').replaceAll('%2C', ',')
  return signs.replaceAll('%25', '%')
}
