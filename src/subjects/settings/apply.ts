import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { Activation } from '../../settings/surface.ts'
import type { Remediator } from '../../host/remediator.ts'
import { runChange, type RunChangeOptions } from '../shared/run-change.ts'
import { contentOfText, writeChecked } from '../shared/write-checked.ts'
import type { SettingAction, WrittenFile } from './plan.ts'

type Writer = Pick<Remediator, 'createDirectory' | 'writeFile' | 'remove' | 'run' | 'runsNothing'>

const PATIENCE_MS = 60_000

/** Validates and writes each file, then activates the settings. */
export async function applySetting(
  remediator: Writer,
  _wanted: unknown,
  { writes, activation }: SettingAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  if (remediator.runsNothing !== undefined) return applyAtRest(remediator, { writes, activation }, signal)
  for (const each of writes) {
    const outcome = await write(remediator, each, signal)
    if (outcome.kind === 'failed') return outcome
  }
  const made = activation.kind === 'command' ? activation.writes : undefined
  for (const argv of commandsOf(activation)) {
    const outcome = await runCommandChange(remediator, argv, { undo: 'again', writes: made, signal })
    if (outcome.kind === 'failed') return { ...outcome, message: `written, but not in effect: ${outcome.message}` }
  }
  return { kind: 'done' }
}

/**
 * On a system that is not running, no program needs to be notified. Skipped validation is reported, and a setting that
 * would not be effective after the next boot is not written.
 */
async function applyAtRest(
  remediator: Writer,
  { writes, activation }: SettingAction,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  if (activation.kind === 'command' && activation.writes !== undefined) {
    const message = `nothing was written, because ${activation.writes.join(', ')} would have to be regenerated: ${remediator.runsNothing}`
    return { kind: 'failed', message }
  }
  for (const { check: _, explain: __, ...each } of writes) {
    const outcome = await write(remediator, each, signal)
    if (outcome.kind === 'failed') return outcome
  }
  const unchecked = writes.filter(({ check }) => check !== undefined).map(({ file }) => file)
  if (unchecked.length === 0) return { kind: 'done' }
  return { kind: 'done', output: `${unchecked.join(', ')}: not validated by its program; ${remediator.runsNothing}` }
}

async function write(
  remediator: Writer,
  { file, text, attributes, check, explain }: WrittenFile,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  const directory = await remediator.createDirectory(dirname(file), { defaultMode: 0o755 })
  if (directory.kind === 'failed') return directory
  const judge = async (argv: Argv): Promise<ApplyOutcome> => {
    const outcome = await runCommandChange(remediator, argv, { undo: 'nothing', signal })
    const why = outcome.kind === 'failed' ? explain?.(outcome.output ?? '') : undefined
    return why === undefined ? outcome : { ...outcome, kind: 'failed', message: why }
  }
  return writeChecked(remediator, {
    file,
    content: contentOfText(text),
    attributes,
    ...(check === undefined ? {} : { check: (candidate) => judge(check(candidate)) }),
  })
}

type Argv = readonly [program: string, ...args: string[]]

/**
 * Ignores a unit that is not running. Many settings cause many restarts, so the start rate limit of systemd is reset
 * first.
 */
function commandsOf(activation: Activation): readonly Argv[] {
  switch (activation.kind) {
    case 'none':
    case 'reboot':
      return []
    case 'reload':
      return [ifActive('systemctl reload "$1"', activation.unit)]
    case 'signal':
      return [ifActive('systemctl kill --signal=HUP --kill-who=main "$1"', activation.unit)]
    case 'restart':
      return [ifActive('systemctl reset-failed "$1"; systemctl restart "$1"', activation.unit)]
    case 'command':
      return [activation.argv]
  }
}

function ifActive(command: string, unit: string): Argv {
  return ['sh', '-c', `systemctl -q is-active "$1" || exit 0; ${command}`, 'sh', unit]
}

// The command is often a script, which would not help the reader of the message.
function runCommandChange(
  remediator: Writer,
  argv: Argv,
  { signal, ...undo }: Pick<RunChangeOptions, 'undo' | 'writes'> & { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  return runChange(remediator, argv, signal, { called: argv[0], timeoutMs: PATIENCE_MS, ...undo })
}
