// Manual pages, made of what `--help` is made of: `driftgate(1)` and one page for each command.

/** The pages by their file names. `date` is a day, `2026-01-31`. */
export function manualPages({ commands: all, withSubcommands, usageLine }, { version, date }) {
  const commands = withSubcommands(all)
  const title = (name) => `.TH ${roff(name.toUpperCase())} 1 "${date}" "driftgate ${version}" "driftgate"`
  const pages = commands.map((command) => [
    `driftgate-${dashed(command.name)}.1`,
    commandPage(command, { title, usageLine }),
  ])
  return new Map([['driftgate.1', overviewPage(commands, title)], ...pages])
}

/** The name of a command of two words as part of a page's name. */
function dashed(name) {
  return name.replace(' ', '-')
}

function overviewPage(commands, title) {
  return page([
    title('driftgate'),
    '.SH NAME',
    String.raw`driftgate \- audits machines against policies and repairs what drifted on request`,
    '.SH SYNOPSIS',
    String.raw`.B driftgate`,
    String.raw`\fICOMMAND\fR [\fIOPTIONS\fR]`,
    '.SH COMMANDS',
    ...commands.flatMap(({ name, summary }) => [
      '.TP',
      String.raw`.BR driftgate\-${roff(dashed(name))} (1)`,
      text(summary),
    ]),
    '.SH OPTIONS',
    '.TP',
    String.raw`.B \-\-version \fR[\fB\-\-verbose\fR]`,
    'Show the version, and how it was built.',
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, text(meaning)]),
    '.SH FILES',
    '.TP',
    '.I /etc/driftgate',
    'Policies of the units driftgate@NAME.service and driftgate@NAME.timer, each one NAME.yaml.',
    '.TP',
    '.I /etc/driftgate/agent',
    'The key of a host of a fleet, what it trusts, and what is assigned to it, for driftgate\\-agent.service.',
    '.TP',
    '.I /var/lib/driftgate',
    'What fixes have replaced, and the history of scans.',
  ])
}

const EXIT_CODES = [
  ['0', 'Everything complies, or was fixed.'],
  ['1', 'The scan could not be performed.'],
  ['2', 'Something drifted.'],
  ['3', 'Something could not be evaluated.'],
  ['4', 'Something could not be fixed.'],
]

function commandPage({ name, summary, details, operands, options, examples, ...command }, { title, usageLine }) {
  const groups = Map.groupBy?.(Object.entries(options), ([, { group }]) => group) ?? grouped(Object.entries(options))
  return page([
    title(`driftgate-${dashed(name)}`),
    '.SH NAME',
    String.raw`driftgate\-${roff(dashed(name))} \- ${roff(summary)}`,
    '.SH SYNOPSIS',
    `.B driftgate ${roff(usageLine({ name, operands, options, ...command }))}`,
    '.SH DESCRIPTION',
    text(summary),
    ...(operands === undefined ? [] : ['.PP', `.I ${roff(operands.name)}`, text(`: ${operands.summary}`)]),
    ...prose(details ?? ''),
    ...(groups.size === 0 ? [] : ['.SH OPTIONS']),
    ...[...groups].flatMap(([group, specs]) => [`.SS "${roff(group.replace(/:$/, ''))}"`, ...specs.flatMap(option)]),
    '.SH EXAMPLES',
    ...examples.flatMap((example) => ['.TP', `.B ${roff(example.command)}`, text(example.summary)]),
    '.SH SEE ALSO',
    '.BR driftgate (1)',
  ])
}

function grouped(entries) {
  const groups = new Map()
  for (const entry of entries) groups.set(entry[1].group, [...(groups.get(entry[1].group) ?? []), entry])
  return groups
}

function option([name, { kind, alias, placeholder, summary }]) {
  const names = [...(alias === undefined ? [] : [alias.length === 1 ? `-${alias}` : `--${alias}`]), `--${name}`]
  const value =
    kind === 'flag' ? '' : String.raw` \fI${roff(kind === 'optional-text' ? `[${placeholder}]` : placeholder)}\fR`
  return ['.TP', String.raw`\fB${names.map(roff).join(', ')}\fR${value}`, text(summary)]
}

/** Paragraphs, and indented lines as they stand. */
function prose(details) {
  return details
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .flatMap((paragraph) =>
      /^ /m.test(paragraph)
        ? ['.PP', '.nf', ...paragraph.split('\n').map(text), '.fi']
        : ['.PP', ...paragraph.split('\n').map(text)],
    )
}

/** A line of text: nothing at its start is a request. */
function text(line) {
  return roff(line).replace(/^(?=[.'])/, String.raw`\&`)
}

function roff(line) {
  return line.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`)
}

function page(lines) {
  return `${lines.join('\n')}\n`
}
