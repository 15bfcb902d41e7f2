import { unknown, mapReading } from '../../model/observation.ts'
import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

const lines: Format = lineFormat({
  name: 'dnf.conf',
  assignment: /^(?<lead>)(?<key>[^ \t\r=#;[][^=]*?)(?<between>[ \t]*=[ \t\r]*)(?<value>.*?)(?<tail>[ \t\r]*)$/,
  comment: /^[#;]/,
  section: /^\[(?<section>[^\]]+)\]/,
  ignoresMark: true,
  read: (written) => /^(["'])(.*)\1$/.exec(written)?.[2] ?? written,
  between: '=',
})

/** The configuration of dnf and its repositories as dnf reads it; dnf refuses files with other lines. @see iniparser.cpp */
export const dnfConf: Format = {
  ...lines,
  parse(text, file) {
    const written = text.split('\n')
    const refused = refusedLine(written)
    if (refused !== undefined) return unknown('invalid', `${file}:${refused}: dnf refuses this line`)
    return mapReading(lines.parse(text, file), (read) =>
      read.map((each) => ({ ...each, value: [each.value, ...continuation(written, each.line)].join('\n') })),
    )
  },
}

const EMPTY = /^[ \t\r]*$|^[#;]/
const HEADER = /^\u{feff}?\[[\w.:-]+\](?:[ \t\r].*|[#;].*)?$/su

/** The spaced lines from an index on, which continue the value before them. */
function continuation(lines: readonly string[], from: number): readonly string[] {
  const found: string[] = []
  for (
    let line = lines[from];
    line !== undefined && /^[ \t\r]/.test(line) && !EMPTY.test(line);
    line = lines[from + found.length]
  )
    found.push(line.replace(/^[ \t\r]+|[ \t\r]+$/g, ''))
  return found
}

/** The number of the first line that dnf refuses. */
function refusedLine(lines: readonly string[]): number | undefined {
  let hasSection = false
  let isBehindKey = false
  for (const [index, line] of lines.entries()) {
    if (HEADER.test(line)) [hasSection, isBehindKey] = [true, false]
    else if (EMPTY.test(line)) isBehindKey = false
    else if (!hasSection) return index + 1
    else if (/^[ \t\r]/.test(line) ? !isBehindKey || /^[ \t\r]+\[/.test(line) : !/^[^=[][^=]*=/.test(line))
      return index + 1
    else isBehindKey = true
  }
  return undefined
}
