import type { ExportsOf } from '../../../model/exported.ts'
import type { Reading } from '../../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { asShell, asWords } from '../../shared/command-line.ts'
import { environmentProblem, nulProblem, pathProblem } from '../../shared/command-properties.ts'
import { type CommandResult, decideCommand } from './decide.ts'
import { observeCommand } from './observe.ts'

const properties = defineProperties({
  command: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'deferred',
    parameter: true,
    summary:
      'The command, which only looks: every audit runs it, and no fix does anything about its answer. Words without a shell; `provider: shell` gives it to `/bin/sh`.',
  },
  exit_code: {
    kind: 'integer',
    accepts: 'number',
    default: 0,
    minimum: 0,
    maximum: 255,
    summary:
      'How it ends. 126 and 127 are no answer but an error, because a program of it could not be run, and so is a signal.',
  },
  stdout: {
    kind: 'text',
    accepts: 'lines',
    phase: 'deferred',
    summary:
      'What it writes to its standard output, without line ends at the end. `includes` and `excludes` name whole lines, `matches` all of it.',
  },
  stderr: {
    kind: 'text',
    accepts: 'lines',
    phase: 'deferred',
    summary: 'The same of its standard error.',
  },
  timeout: {
    kind: 'duration',
    default: 60_000,
    phase: 'early',
    parameter: true,
    summary: 'How long it may take; then it is killed with everything it started. `0s` is unlimited.',
  },
  cwd: {
    kind: 'text',
    phase: 'deferred',
    parameter: true,
    summary: "The directory that it runs in, relative to the policy's directory; `/` by default.",
  },
  environment: {
    kind: 'list',
    items: { kind: 'text', summary: 'A variable as `NAME=value`.' },
    phase: 'deferred',
    parameter: true,
    summary: 'Variables that it sees, as `NAME=value`, beside PATH, LANG=C and LC_ALL=C. No others are handed on.',
  },
  path: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'Absolute directories, separated by colons, where programs are looked for; it is the PATH of the command.',
  },
})

const exports = defineExports({
  exit_code: { kind: 'integer', summary: 'How the command ended.' },
  stdout: { kind: 'text', summary: 'What it wrote to its standard output, without line ends at the end.' },
  stderr: { kind: 'text', summary: 'What it wrote to its standard error, without line ends at the end.' },
})

const NEVER_APPLIED = { kind: 'failed', message: 'a command only looks' } as const

/** Check commands; a fix does not run them. */
export const command: ResourceType = defineResource({
  type: 'command',
  summary: 'Commands that an audit runs to compare how they end and what they write. A fix does nothing about it.',
  properties,
  rules: [
    { reads: ['command'], at: 'command', check: ({ command: line }) => nulProblem('command', line) },
    { reads: ['path'], at: 'path', check: ({ path }) => pathProblem(path) },
    { reads: ['environment'], at: 'environment', check: ({ environment }) => environmentProblem(environment) },
    { reads: ['cwd'], at: 'cwd', check: ({ cwd }) => nulProblem('cwd', cwd) },
  ],
  exports,
  drifts: ['exit_code', 'stdout', 'stderr'],
  neverSecret: ['exit_code'],
  examples: [
    {
      title: 'A program that finds its configuration right',
      yaml: `
        command:
          - the web server can read its configuration:
              command: nginx -t -q`,
    },
    {
      title: 'A line that has to be in the output, and one that must not be',
      yaml: `
        command:
          - root is asked for nothing:
              command: sudo -l -U backup
              exit_code: { one_of: [0, 1] }
              stdout: { excludes: ["    (ALL : ALL) ALL"] }
              timeout: 10s`,
    },
    {
      title: 'A command for a shell, whose whole output matches',
      yaml: `
        command:
          - most of the memory is free for caches:
              command: awk '/^MemAvailable/ { print $2 }' /proc/meminfo | wc -c
              provider: shell
              stdout: { matches: " *[7-9]|1[0-9]" }`,
    },
  ],
  providers: [
    {
      name: 'posix',
      observe: (target, desired, context) => observeCommand(target, desired, context, asWords),
      apply: async () => NEVER_APPLIED,
    },
    {
      name: 'shell',
      observe: (target, desired, context) => observeCommand(target, desired, context, asShell),
      apply: async () => NEVER_APPLIED,
    },
  ],
  decide: (desired, { context }) => decideCommand(desired, context),
  exportsOf: (_desired, { context }) => exportsOfCommand(context),
})

function exportsOfCommand(answer: Reading<CommandResult>): ExportsOf<typeof exports> {
  if (answer.kind === 'unknown') return {}
  const { exit_code: exitCode, stdout, stderr } = answer.value
  return {
    exit_code: exitCode,
    stdout: stdout.kind === 'known' ? stdout.value : undefined,
    stderr: stderr.kind === 'known' ? stderr.value : undefined,
  }
}
