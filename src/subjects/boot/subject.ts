import { keptPaths } from '../../host/keeping.ts'
import { readFollowedStat } from '../../host/live/file-stat.ts'
import type { Journal } from '../../host/live/journal.ts'
import { createLocalProbe } from '../../host/live/probe.ts'
import { remove } from '../../host/live/remove.ts'
import { runCommand } from '../../host/live/run-command.ts'
import { onThisMachine } from '../../host/live/site.ts'
import { SYSTEM_PATH } from '../../host/live/system-programs.ts'
import { writeFile } from '../../host/live/write-file.ts'
import { refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import { failureOf } from '../../host/systemd/systemctl.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { BootMenuControl } from './boot-menu.ts'

/** Boot menus that grub-mkconfig of GRUB 2.06 generates. */
export const BOOT_MENUS: WritableSubject<BootMenuControl> = {
  name: 'boot',
  write: {
    live: (journal) => createBootMenuControl(journal),
    atRest: () => ({ generate: refusedAtRest('boot menus') }),
    keeping: (menus, { keep }) => ({
      generate: (menu, signal) => keep(keptPaths([menu.file]), () => menus.generate(menu, signal)),
    }),
  },
}

/** os-prober searches all disks for other systems, which takes long. */
const TIMEOUT_MS = 300_000

function createBootMenuControl(journal: Journal): BootMenuControl {
  return {
    async generate({ program, file, judge }, signal) {
      const candidate = `${file}.driftgate`
      try {
        const argv = [program, '-o', candidate] as const
        const environment = { PATH: SYSTEM_PATH, LC_ALL: 'C' }
        const failure = failureOf(
          await runCommand({ argv, workingDirectory: '/', environment, timeoutMs: TIMEOUT_MS, signal }),
        )
        if (failure !== undefined) return failedUpdate(file, `${program}: ${failure}`)
        const text = createLocalProbe().readText(candidate)
        if (text.kind === 'unknown') return failedUpdate(file, text.detail)
        if (text.value === null) return failedUpdate(file, `${program} wrote no output`)
        const problem = judge(text.value)
        return problem === undefined ? await putInPlace(file, text.value, journal) : failedUpdate(file, problem)
      } finally {
        for (const leftover of [candidate, `${candidate}.new`]) await remove(leftover, { recursive: false })
      }
    },
  }
}

function failedUpdate(file: string, why: string): ApplyOutcome {
  return { kind: 'failed', message: `${file} is unchanged: ${why}` }
}

async function putInPlace(file: string, text: string, journal: Journal): Promise<ApplyOutcome> {
  const seen = readFollowedStat(file)
  if (seen.kind !== 'present') return failedUpdate(file, 'it no longer exists')
  const { uid, gid, mode } = seen.state
  return writeFile(file, { kind: 'bytes', bytes: Buffer.from(text) }, { uid, gid, mode }, onThisMachine(journal))
}
