import { spawnSync } from 'node:child_process'

/** Why a test that needs systemd to be installed, running or not, is skipped; or undefined. */
export const needsSystemctl: string | undefined =
  spawnSync('systemctl', ['--version']).status === 0 ? undefined : 'needs systemctl'
