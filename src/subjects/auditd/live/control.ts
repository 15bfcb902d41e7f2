import { dirname } from 'node:path'
import process from 'node:process'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { AuditControl } from '../auditd.ts'
import type { RulesFile } from '../rules/augenrules.ts'
import { createMissingDirectories } from '../../../host/live/create-directory.ts'
import type { Journal } from '../../../host/live/journal.ts'
import { createLocalProbe } from '../../../host/live/probe.ts'
import { remove } from '../../../host/live/remove.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { failureOf } from '../../../host/systemd/systemctl.ts'
import { onThisMachine } from '../../../host/live/site.ts'
import { writeFile } from '../../../host/live/write-file.ts'
import { type AuditPlace, THIS_MACHINE } from './place.ts'

const TIMEOUT_MS = 120_000

/** Changes the audit rules of a host. */
export function createAuditControl(journal: Journal, place: AuditPlace = THIS_MACHINE): AuditControl {
  return {
    async change({ file, load }, signal) {
      if (file === undefined) return compile(load, place, signal)
      const before = createLocalProbe().readText(place.root + file.path)
      if (before.kind === 'unknown') return { kind: 'failed', message: before.detail }
      const written = await write(file, journal, place)
      if (written.kind === 'failed') return written
      const outcome = await compile(load, place, signal)
      if (outcome.kind === 'done') return outcome
      return putBack({ path: file.path, text: before.value }, { outcome, load, journal, place })
    },
  }
}

function write(
  { path, text }: RulesFile,
  journal: Journal,
  { root }: AuditPlace,
): ApplyOutcome | Promise<ApplyOutcome> {
  const made = createMissingDirectories(dirname(root + path), { defaultMode: 0o750 })
  if (made.kind === 'failed') return made
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return writeFile(
    root + path,
    { kind: 'bytes', bytes: Buffer.from(text) },
    { uid, gid, mode: 0o600 },
    onThisMachine(journal),
  )
}

async function compile(load: boolean, { searchPath }: AuditPlace, signal: AbortSignal): Promise<ApplyOutcome> {
  const argv = load ? (['augenrules', '--load'] as const) : (['augenrules'] as const)
  const environment = { PATH: searchPath, LC_ALL: 'C' }
  const ended = await runCommand({ argv, workingDirectory: '/', environment, timeoutMs: TIMEOUT_MS, signal })
  const failure = failureOf(ended)
  if (failure === undefined) return { kind: 'done' }
  // Some versions exit with 1 if the compiled file is already up to date.
  const hasNoChange = ended.kind === 'exited' && ended.stderr.trim() === '' && ended.stdout.includes('No change')
  return hasNoChange ? { kind: 'done' } : { kind: 'failed', message: `${argv.join(' ')}: ${failure}` }
}

interface Failed {
  readonly outcome: Extract<ApplyOutcome, { kind: 'failed' }>
  readonly load: boolean
  readonly journal: Journal
  readonly place: AuditPlace
}

/** If the kernel refuses a new rule, it has lost the old ones: reloads the previous rules, even when interrupted. */
async function putBack(
  { path, text }: { readonly path: string; readonly text: string | null },
  { outcome, load, journal, place }: Failed,
): Promise<ApplyOutcome> {
  const restored =
    text === null ? await remove(place.root + path, { recursive: false }) : await write({ path, text }, journal, place)
  if (restored.kind === 'failed') return { ...outcome, message: `${outcome.message}; ${restored.message}` }
  const again = await compile(load, place, new AbortController().signal)
  const state = again.kind === 'done' ? 'the previous rules are restored' : `and then ${again.message}`
  return { ...outcome, message: `${outcome.message}; ${state}` }
}
