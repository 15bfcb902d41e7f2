import { isAbsolute } from 'node:path'
import type { ExportsOf } from '../../../model/exported.ts'
import { isSet } from '../../../model/property.ts'
import { splitWords } from '../../../model/shell-split.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { environmentProblem, nulProblem, pathProblem } from '../../shared/command-properties.ts'
import { decideExec, type ExecObserved, NO_UNDO } from './decide.ts'
import { posix, shell } from './provider.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'The command, or with `command` any name.',
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
    summary: 'The command, if it differs from the name.',
  },
  cwd: {
    kind: 'text',
    phase: 'deferred',
    parameter: true,
    summary: "The working directory of command and guards, relative to the policy's directory; `/` by default.",
  },
  environment: {
    kind: 'list',
    items: { kind: 'text', summary: 'A variable as `NAME=value`.' },
    phase: 'deferred',
    parameter: true,
    summary:
      'The environment of command and guards, as `NAME=value`, in addition to PATH, LANG=C and LC_ALL=C. No other variables are passed on.',
  },
  path: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'The PATH of command and guards: absolute directories, separated by colons.',
  },
  returns: {
    kind: 'list',
    items: { kind: 'integer', summary: 'An exit code.' },
    parameter: true,
    summary: 'Exit codes that mean success, `[0]` by default.',
  },
  timeout: {
    kind: 'duration',
    phase: 'early',
    parameter: true,
    summary:
      'Time limit of the command and of each guard, after which it is killed with its child processes. Unlimited by default.',
  },
  creates: {
    kind: 'text',
    phase: 'deferred',
    summary: 'A path that the command creates, relative to cwd. If it exists, the command is not run.',
  },
  onlyif: {
    kind: 'text',
    phase: 'deferred',
    summary: 'A guard: the command is run only if this command exits with 0. Audits run it, too.',
  },
  unless: {
    kind: 'text',
    phase: 'deferred',
    summary: 'A guard: the command is not run if this command exits with 0. Audits run it, too.',
  },
  undo: {
    kind: 'text',
    phase: 'deferred',
    parameter: true,
    summary:
      'The command that reverts the other one, for `driftgate undo`, in the same directory and environment. Without it, the command cannot be undone.',
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
    summary: 'Whether reports show the output of the command in a fix. The output of a failed command is always shown.',
  },
})

/** Results of the guards, as far as they were run. */
const exports = defineExports({
  created: { kind: 'boolean', summary: 'Whether the path of `creates` exists.' },
  onlyif: {
    kind: 'integer',
    summary: 'The exit code of `onlyif`, if it ran; absent after a fix, because it does not run again.',
  },
  unless: { kind: 'integer', summary: 'The exit code of `unless`, if it ran.' },
})

/** Commands that bring the machine into a state that their guards can detect. */
export const exec: ResourceType = defineResource({
  type: 'exec',
  summary: 'Commands that a fix runs if their guards require it. Audits run the guards only.',
  properties,
  rules: [
    { reads: ['name'], at: 'name', check: ({ name }) => (name === undefined ? undefined : nameProblem(name)) },
    { reads: ['path'], at: 'path', check: ({ path }) => pathProblem(path) },
    { reads: ['environment'], at: 'environment', check: ({ environment }) => environmentProblem(environment) },
    { reads: ['cwd'], at: 'cwd', check: ({ cwd }) => nulProblem('cwd', cwd) },
    { reads: ['creates'], at: 'creates', check: ({ creates }) => nulProblem('creates', creates) },
    { reads: ['onlyif'], at: 'onlyif', check: ({ onlyif }) => guardProblem(onlyif) },
    { reads: ['unless'], at: 'unless', check: ({ unless }) => guardProblem(unless) },
    { reads: ['undo'], at: 'undo', check: ({ undo }) => guardProblem(undo) },
  ],
  exports,
  hint,
  subscribes: true,
  drifts: ['run'],
  examples: [
    {
      title: 'A command that creates a file',
      yaml: `
        exec:
          - /usr/bin/openssl dhparam -out /etc/ssl/dhparam.pem 2048:
              creates: /etc/ssl/dhparam.pem`,
    },
    {
      title: 'A command with a guard, both with a time limit',
      yaml: `
        exec:
          - flathub:
              command: flatpak remote-add flathub https://dl.flathub.org/repo/flathub.flatpakrepo
              unless: grep -q flathub /var/lib/flatpak/repo/config
              timeout: 1m`,
    },
    {
      title: 'A shell command that runs only when another resource was changed',
      yaml: `
        exec:
          - make-parameters:
              command: openssl dhparam -out /etc/ssl/dhparam.pem 2048
              creates: /etc/ssl/dhparam.pem
          - reload-web:
              command: test ! -e /run/nginx.pid || kill -HUP "$(cat /run/nginx.pid)"
              provider: shell
              refreshonly: true
              subscribe: [exec#make-parameters]`,
    },
    {
      title: 'Own variables, search path and exit codes',
      yaml: `
        exec:
          - app-migrate --quiet:
              cwd: /opt/app
              path: /opt/app/bin:/usr/bin:/bin
              environment: [APP_ENV=production]
              returns: [0, 2]
              onlyif: app-migrate --pending
              logoutput: true`,
    },
  ],
  providers: [posix, shell],
  decide: (desired, { context }, occasion) => decideExec(context.argv, desired, context, occasion),
  exportsOf: (_, { context }) => exportsOfExec(context),
  hazards: ({ undo }) => ({ irreversible: isSet(undo) ? undefined : NO_UNDO }),
  provides: ({ creates }) => (isSet(creates) && isAbsolute(creates) ? [creates] : []),
})

/** The name must be a command even if `command` overrides it, as in CCM. */
function nameProblem(name: string): string | undefined {
  const split = splitWords(name)
  if (!split.ok) return split.problem
  return split.words.length === 0 ? 'invalid command' : undefined
}

function guardProblem(guard: string | undefined): string | undefined {
  return isSet(guard) && guard.trim() === '' ? 'empty guard command' : undefined
}

function exportsOfExec({ creates, onlyif, unless }: ExecObserved): ExportsOf<typeof exports> {
  return {
    created: creates?.kind === 'known' ? creates.value : undefined,
    onlyif: onlyif?.kind === 'known' ? onlyif.value : undefined,
    unless: unless?.kind === 'known' ? unless.value : undefined,
  }
}

const GUARDS = ['creates', 'onlyif', 'unless'] as const

/** Shell syntax as a separate word; quoted text is literal. */
const SHELL_WORD = /(?:^|\s)(\|\|?|&&?|;|\d?>>?\S*|<\S*|[^\s*]*\*\S*)(?=\s|$)/

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gs

function hint(given: Readonly<Record<string, unknown>>): string | undefined {
  const hints = [unguardedHint(given), plainShellWord(given)].filter((each) => each !== undefined)
  return hints.length === 0 ? undefined : hints.join('; ')
}

function plainShellWord({ name, command, provider = 'posix' }: Readonly<Record<string, unknown>>): string | undefined {
  const text = typeof command === 'string' && command !== '' ? command : name
  if (provider !== 'posix' || typeof text !== 'string' || text.includes('{{')) return undefined
  const word = SHELL_WORD.exec(text.replaceAll(QUOTED, 'x'))?.[1]
  if (word === undefined) return undefined
  return `the provider posix takes "${word}" literally: set "provider: shell" to use a shell, or quote it`
}

function unguardedHint(given: Readonly<Record<string, unknown>>): string | undefined {
  const isGuarded = GUARDS.some((guard) => given[guard] !== undefined && given[guard] !== '')
  if (isGuarded || (given['refreshonly'] ?? false) !== false) return undefined
  return 'an exec without creates, onlyif, unless or refreshonly drifts in every audit and runs in every fix'
}
