import { isSet, type PropertiesOf, type Rule } from '../../core/property.ts'
import { splitWords } from '../../core/shell-split.ts'
import { defineProperties } from '../../resource-type/define.ts'

/** What a policy may say about a command. */
export const execProperties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'The command, or with `command` whatever it shall be called.',
  },
  ensure: {
    kind: 'text',
    default: 'present',
    oneOf: ['present', 'absent'],
    phase: 'early',
    parameter: true,
    summary: 'Without meaning for a command: both values do the same.',
  },
  command: {
    kind: 'text',
    phase: 'deferred',
    summary: 'The command, where it is not the name.',
  },
  cwd: {
    kind: 'text',
    phase: 'deferred',
    parameter: true,
    summary: "The directory that command and guards run in, relative to the policy's directory; `/` by default.",
  },
  environment: {
    kind: 'list',
    items: { kind: 'text', summary: 'A variable as `NAME=value`.' },
    phase: 'deferred',
    parameter: true,
    summary:
      'Variables that command and guards see, as `NAME=value`, beside PATH, LANG=C and LC_ALL=C. No others are handed on.',
  },
  path: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary:
      'Absolute directories, separated by colons, where programs are looked for; it is the PATH of command and guards.',
  },
  returns: {
    kind: 'list',
    items: { kind: 'integer', summary: 'An exit code.' },
    parameter: true,
    summary: 'The exit codes of a command that did what it should, `[0]` by default.',
  },
  timeout: {
    kind: 'duration',
    phase: 'early',
    parameter: true,
    summary:
      'How long the command and each guard may take; then it is killed with everything it started. Unlimited by default.',
  },
  creates: {
    kind: 'text',
    phase: 'deferred',
    summary: 'A path that the command creates, relative to cwd. Where it exists, the command need not run.',
  },
  onlyif: {
    kind: 'text',
    phase: 'deferred',
    summary: 'A guard: only if this command exits with 0 need the command run. Audits run it, too.',
  },
  unless: {
    kind: 'text',
    phase: 'deferred',
    summary: 'A guard: if this command exits with 0, the command need not run. Audits run it, too.',
  },
  refreshonly: {
    kind: 'boolean',
    default: false,
    aliases: ['refresh_only'],
    parameter: true,
    summary: 'Whether the command only runs when a resource it subscribes to was changed.',
  },
  logoutput: {
    kind: 'boolean',
    default: false,
    parameter: true,
    summary: 'Whether reports show what the command wrote when a fix ran it. Of a command that failed they always do.',
  },
})

/** The settled properties of one command. */
export type ExecProperties = PropertiesOf<typeof execProperties>

/** Conditions over several properties. */
export const execRules: readonly Rule<ExecProperties>[] = [
  { reads: ['name'], at: 'name', check: ({ name }) => (name === undefined ? undefined : nameProblem(name)) },
  { reads: ['path'], at: 'path', check: ({ path }) => pathProblem(path) },
  { reads: ['environment'], at: 'environment', check: ({ environment }) => environmentProblem(environment) },
  { reads: ['cwd'], at: 'cwd', check: ({ cwd }) => nulProblem('cwd', cwd) },
  { reads: ['creates'], at: 'creates', check: ({ creates }) => nulProblem('creates', creates) },
  { reads: ['onlyif'], at: 'onlyif', check: ({ onlyif }) => guardProblem(onlyif) },
  { reads: ['unless'], at: 'unless', check: ({ unless }) => guardProblem(unless) },
]

/** The name is a command even where `command` takes its place, as in CCM. */
function nameProblem(name: string): string | undefined {
  const split = splitWords(name)
  if (!split.ok) return split.problem
  return split.words.length === 0 ? 'invalid command' : undefined
}

function pathProblem(path: string | undefined): string | undefined {
  if (!isSet(path)) return undefined
  for (const directory of path.split(':')) {
    if (directory === '') return 'invalid path: empty directory in path'
    if (!directory.startsWith('/')) return `invalid path: "${directory}" is not an absolute path`
  }
  return undefined
}

function environmentProblem(environment: readonly string[] = []): string | undefined {
  for (const entry of environment) {
    const problem = variableProblem(entry)
    if (problem !== undefined) return `invalid environment variable "${nameOf(entry)}": ${problem}`
  }
  return undefined
}

/** The value may be a secret that nobody has marked. */
function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf('=') + 1 || entry.length)
}

function variableProblem(entry: string): string | undefined {
  const separator = entry.indexOf('=')
  if (separator < 0) return "missing '='"
  if (separator === 0) return 'empty key'
  if (separator === entry.length - 1) return 'empty value'
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(entry.slice(0, separator))) {
    return 'the name may hold letters, digits and underscores, and no digit first'
  }
  return entry.includes('\0') ? 'the value holds a NUL character' : undefined
}

function nulProblem(property: string, text: string | undefined): string | undefined {
  return text?.includes('\0') ? `${property} holds a NUL character` : undefined
}

function guardProblem(guard: string | undefined): string | undefined {
  return isSet(guard) && guard.trim() === '' ? 'empty guard command' : undefined
}
