import type { AccountControl } from '../accounts.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { systemEnvironment } from '../../../host/live/system-programs.ts'
import { failureOf } from '../../../host/systemd/systemctl.ts'

/** They wait for locks of one another. */
const TIMEOUT_MS = 120_000

/** What a fix may do to the accounts of this machine, or of the one below a directory. */
export function createAccountControl(root?: string): AccountControl {
  return {
    async change(commands, signal) {
      for (const [program, ...args] of commands) {
        const argv = [program, ...(root === undefined ? [] : ['--root', root]), ...args] as const
        const environment = { ...systemEnvironment(), LC_ALL: 'C' }
        const outcome = await runCommand({ argv, workingDirectory: '/', environment, timeoutMs: TIMEOUT_MS, signal })
        const failure = failureOf(outcome)
        if (failure !== undefined) return { kind: 'failed', message: `${program}: ${failure}` }
      }
      return { kind: 'done' }
    },
  }
}
