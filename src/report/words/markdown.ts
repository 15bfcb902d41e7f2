import { escapeForTerminal } from '../../model/escape.ts'

/** Signs with a meaning inside a line. HTML and tables are kept out by entities, the rest by a backslash. */
const SIGNS = /[\\`*_{}[\]~$&<>|]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '|': '&#124;' }

/** What would begin a heading, a list, a line under a heading or a quotation where the text begins a line. */
const BLOCK = /^(?=[-+=#>])|^(?<number>\d+)(?=[.)](?:\s|$))/

/**
 * Signs in front of a name that GitHub and GitLab turn into mentions of people and references to issues, merge requests,
 * snippets, milestones, labels, epics and alerts, and what begins a web address. They look at the finished text, where
 * escapes no longer count, so a space of no width keeps the name apart.
 */
const REFERENCE = /[@#!$%~&^](?=[\p{L}\p{N}_"'])|\bGH(?=-\d)|\b(?:https?:|ftp:|mailto:|xmpp:|www\.)(?=\S)/giu
const NO_WIDTH = '&#8203;'

const BACKTICKS = /`+/g
/** What HTML code in a line may hold as it is: nothing that is markup or part of a web address. */
const NOT_PLAIN = /[^ \p{L}\p{N}/,;=+()%'"?-]/gu

/**
 * Text from a machine or a policy as one line of prose in Markdown that shows it as it is, also in a cell of a table: no
 * markup, no HTML, no link, no mention.
 */
export function escapeProse(text: string): string {
  const visible = escapeForTerminal(text).trim()
  let escaped = ''
  let end = 0
  for (const match of visible.matchAll(REFERENCE)) {
    const stop = match.index + match[0].length
    escaped += escapeSigns(visible.slice(end, stop)) + NO_WIDTH
    end = stop
  }
  return (escaped + escapeSigns(visible.slice(end))).replace(BLOCK, '$<number>\\')
}

function escapeSigns(text: string): string {
  return text.replace(SIGNS, (sign) => ENTITIES[sign] ?? `\\${sign}`)
}

/**
 * Text from a machine or a policy as code in a line of Markdown, also in a cell of a table. In code nothing is a mention
 * or a link. A table takes even a `|` in code for the end of a cell, and readers disagree about what stands before it, so
 * such text is HTML code whose signs are entities.
 */
export function inlineCode(text: string): string {
  const visible = escapeForTerminal(text)
  if (visible.trim() === '') return '<code></code>'
  if (visible.includes('|')) return `<code>${visible.replace(NOT_PLAIN, toEntity)}</code>`
  const fence = '`'.repeat(longestRun(visible) + 1)
  const isPadded = /^`|`$|^ .* $/.test(visible)
  return isPadded ? `${fence} ${visible} ${fence}` : `${fence}${visible}${fence}`
}

function toEntity(sign: string): string {
  return `&#${sign.codePointAt(0) ?? 0};`
}

/** Lines as a block of code: nothing in them ends it. Its language decides the colours, which `diff` has. */
export function codeBlock(lines: readonly string[], language: string): readonly string[] {
  const visible = lines.map(escapeForTerminal)
  const longest = visible.reduce((length, line) => Math.max(length, longestRun(line)), 2)
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...visible, fence]
}

function longestRun(text: string): number {
  return [...text.matchAll(BACKTICKS)].reduce((length, [run]) => Math.max(length, run.length), 0)
}
