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
      'The command, which only observes: every audit runs it, and a fix does not act on its result. It runs without a shell; with `provider: shell` it runs in `/bin/sh`.',
  },
  exit_code: {
    kind: 'integer',
    accepts: 'number',
    default: 0,
    minimum: 0,
    maximum: 255,
    summary: 'Its exit code. 126, 127 and a signal are an error, because a program could not be run.',
  },
  stdout: {
    kind: 'text',
    accepts: 'lines',
    phase: 'deferred',
    summary:
      'Its standard output, without trailing newlines. `includes` and `excludes` name whole lines, `matches` applies to the whole output.',
  },
  stderr: {
    kind: 'text',
    accepts: 'lines',
    phase: 'deferred',
    summary: 'Its standard error, in the same form.',
  },
  timeout: {
    kind: 'duration',
    default: 60_000,
    phase: 'early',
    parameter: true,
    summary: 'Time limit, after which it is killed with its child processes. `0s` is unlimited.',
  },
  cwd: {
    kind: 'text',
    phase: 'deferred',
    parameter: true,
    summary: "Its working directory, relative to the policy's directory; `/` by default.",
  },
  environment: {
    kind: 'list',
    items: { kind: 'text', summary: 'A variable as `NAME=value`.' },
    phase: 'deferred',
    parameter: true,
    summary:
      'Its environment, as `NAME=value`, in addition to PATH, LANG=C and LC_ALL=C. No other variables are passed on.',
  },
  path: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'The PATH of the command: absolute directories, separated by colons.',
  },
})

const exports = defineExports({
  exit_code: { kind: 'integer', summary: 'Exit code of the command.' },
  stdout: { kind: 'text', summary: 'Standard output, without trailing newlines.' },
  stderr: { kind: 'text', summary: 'Standard error, without trailing newlines.' },
})

const NEVER_APPLIED = { kind: 'failed', message: 'a command only observes' } as const

/** Check commands; a fix does not run them. */
export const command: ResourceType = defineResource({
  type: 'command',
  summary: 'Commands that an audit runs to compare their exit code and output. A fix does not act on them.',
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
      title: 'A program that validates its configuration',
      yaml: `
        command:
          - the web server can read its configuration:
              command: nginx -t -q`,
    },
    {
      title: 'A line that the output must contain, and one that it must not',
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
