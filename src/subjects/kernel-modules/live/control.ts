import { dirname } from 'node:path'
import process from 'node:process'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { KernelModuleControl, ModuleStep } from '../kernel-modules.ts'
import { createMissingDirectories } from '../../../host/live/create-directory.ts'
import type { Journal } from '../../../host/live/journal.ts'
import { remove } from '../../../host/live/remove.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { onThisMachine } from '../../../host/live/site.ts'
import { failureOf } from '../../../host/systemd/systemctl.ts'
import { writeFile } from '../../../host/live/write-file.ts'
import { type ModulesPlace, ownFile, THIS_MACHINE } from './place.ts'

/** Loading a driver probes its devices. */
const TIMEOUT_MS = 120_000

/** Changes the modules of a host. */
export function createModuleControl(journal: Journal, place: ModulesPlace = THIS_MACHINE): KernelModuleControl {
  return {
    async change(written, steps, signal) {
      const name = written.replaceAll('-', '_')
      const take = (step: ModuleStep): ApplyOutcome | Promise<ApplyOutcome> => {
        switch (step) {
          case 'block':
            return block(name, journal, place)
          case 'unblock':
            return remove(place.root + ownFile(name).path, { recursive: false })
          case 'load':
            return runModuleTool(['modprobe', name], place, signal)
          case 'unload':
            // Unlike modprobe -r, rmmod keeps the dependencies of the module.
            return runModuleTool(['rmmod', name], place, signal)
        }
      }
      for (const step of steps) {
        const outcome = await take(step)
        if (outcome.kind === 'failed') return outcome
      }
      return { kind: 'done' }
    },
  }
}

function block(name: string, journal: Journal, { root }: ModulesPlace): ApplyOutcome | Promise<ApplyOutcome> {
  const { path, content } = ownFile(name)
  const made = createMissingDirectories(dirname(root + path), { defaultMode: 0o755 })
  if (made.kind === 'failed') return made
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return writeFile(
    root + path,
    { kind: 'bytes', bytes: Buffer.from(content) },
    { uid, gid, mode: 0o644 },
    onThisMachine(journal),
  )
}

async function runModuleTool(
  argv: readonly [string, string],
  { searchPath }: ModulesPlace,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  const environment = { PATH: searchPath, LC_ALL: 'C' }
  const failure = failureOf(
    await runCommand({ argv, workingDirectory: '/', environment, timeoutMs: TIMEOUT_MS, signal }),
  )
  return failure === undefined ? { kind: 'done' } : { kind: 'failed', message: `${argv.join(' ')}: ${failure}` }
}
