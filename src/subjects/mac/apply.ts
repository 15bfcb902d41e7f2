import type { ApplyOutcome } from '../../model/decision.ts'
import type { FileAttributes, Remediator } from '../../host/remediator.ts'
import { SELINUX_CONFIG } from './selinux-settings.ts'
import { type CommandUndo, POLICY_ENVIRONMENT, type StoredCommand } from '../../host/command.ts'
import { runChange } from '../shared/run-change.ts'
import { contentOfText, writeChecked } from '../shared/write-checked.ts'
import type { ApparmorAction } from './apparmor.ts'
import { AUTORELABEL, type SelinuxAction } from './selinux.ts'

type Writer = Pick<Remediator, 'writeFile' | 'remove' | 'run'>

const READABLE: FileAttributes = { uid: 0, gid: 0, mode: 0o644 }

/** Runs the steps until one fails. */
export async function applyMac(
  remediator: Writer,
  _wanted: unknown,
  action: ApparmorAction | SelinuxAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const steps =
    action.kind === 'apparmor' ? apparmorSteps(remediator, action, signal) : selinuxSteps(remediator, action, signal)
  for (const step of steps) {
    const outcome = await step()
    if (outcome.kind === 'failed') return outcome
  }
  return { kind: 'done' }
}

/** Checks whether a profile compiles, without loading it. */
const COMPILE = ['apparmor_parser', '--skip-kernel-load', '--skip-cache'] as const

type Step = () => Promise<ApplyOutcome>

/** Each file is compiled before it replaces the old one. */
function apparmorSteps(
  remediator: Writer,
  { files, links, load }: ApparmorAction,
  signal: AbortSignal,
): readonly Step[] {
  return [
    ...files.map(
      ({ path, text }) =>
        () =>
          writeChecked(remediator, {
            file: path,
            content: contentOfText(text),
            attributes: READABLE,
            check: (candidate) => runChange(remediator, [...COMPILE, candidate], signal, { undo: 'nothing' }),
          }),
    ),
    ...links.map((path) => () => remediator.remove(path, { recursive: false })),
    ...load.map((path) => () => runChange(remediator, ['apparmor_parser', '-r', path], signal, { undo: 'again' })),
  ]
}

function selinuxSteps(
  remediator: Writer,
  { config, relabel, booleans, setenforce }: SelinuxAction,
  signal: AbortSignal,
): readonly Step[] {
  const write = (path: string, text: string) => () =>
    remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(text) }, READABLE)
  return [
    ...(config === undefined ? [] : [write(SELINUX_CONFIG, config)]),
    ...(relabel ? [write(AUTORELABEL, '')] : []),
    ...(booleans.length === 0
      ? []
      : [
          () =>
            runChange(remediator, ['setsebool', '-P', ...booleans], signal, {
              undo: undoCommand(['setsebool', '-P', ...booleans.map(invertBoolean)]),
            }),
        ]),
    ...(setenforce === undefined
      ? []
      : [
          () =>
            runChange(remediator, ['setenforce', setenforce], signal, {
              undo: undoCommand(['setenforce', setenforce === '1' ? '0' : '1']),
            }),
        ]),
  ]
}

/** Undo of a boolean or mode: it had the opposite value before, otherwise it would not have been changed. */
function undoCommand(argv: StoredCommand['argv']): CommandUndo {
  return { kind: 'command', command: { argv, workingDirectory: '/', environment: POLICY_ENVIRONMENT } }
}

function invertBoolean(assignment: string): string {
  const [name = '', value] = assignment.split('=')
  return `${name}=${value === 'on' ? 'off' : 'on'}`
}
