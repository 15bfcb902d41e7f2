import type { Target } from '../../../host/target.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import { type Reading, known, type Observation, present, unknown } from '../../../model/observation.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type ResourceType,
  type ResourceContext,
} from '../../../resource-type/define.ts'
import {
  asShell,
  asWords,
  askCommand,
  directoryOf,
  environmentOf,
  type Interpretation,
  type Surroundings,
} from '../../shared/command-line.ts'
import { environmentProblem, nulProblem, pathProblem } from '../../shared/command-properties.ts'
import { COMMANDS_FORBIDDEN, runCheck } from '../../shared/policy-command.ts'
import { type CommandResult, decideCommand, withoutEnd } from './decide.ts'

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

/** Properties that define the command. */
interface CommandLine extends Surroundings {
  readonly command: string
  /** In milliseconds; 0 means no limit. */
  readonly timeout: number
}

/** Maximum size of each output; longer outputs are not compared. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

/** Runs the command and returns its result, which `decide` compares. */
async function observeCommand(
  target: Pick<Target, 'run'>,
  desired: CommandLine,
  context: ResourceContext,
  interpret: (line: string) => Interpretation,
): Promise<Observation<undefined, Reading<CommandResult>>> {
  const line = interpret(desired.command)
  if (!line.ok) return unknown('invalid', `command: ${line.problem ?? 'empty'}`)
  if (context.commandsForbidden === true) return unknown('not-observable', COMMANDS_FORBIDDEN)
  const { timeout } = desired
  const answer = await askCommand(line, (argv) =>
    runCheck(
      target,
      {
        argv,
        workingDirectory: directoryOf(desired, context),
        environment: environmentOf(desired),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        ...(timeout === 0 ? {} : { timeoutMs: timeout }),
      },
      context,
    ),
  )
  if (answer.kind !== 'answered') return present(undefined, answer.why)
  const { exitCode, stdout, stderr } = answer.command
  return present(
    undefined,
    known({ exit_code: exitCode, stdout: requireWholeOutput(stdout), stderr: requireWholeOutput(stderr) }),
  )
}

/** A long output lacks its middle, so its full text is unknown. */
function requireWholeOutput(output: string): Reading<string> {
  const isCut = Buffer.byteLength(output) > MAX_OUTPUT_BYTES / 2 && /^\[\d+ bytes left out\]$/m.test(output)
  return isCut ? unknown('not-observable', 'the output of the command exceeds the limit') : known(withoutEnd(output))
}
