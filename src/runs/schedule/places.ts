import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { cronFile, crontabLines } from './cron-entry.ts'
import type { ScheduleFile, SchedulePlan, Scope } from './plan.ts'
import { systemdUnits, unitName } from './systemd-units.ts'

export type Scheduler = 'systemd' | 'cron'

type Environment = Readonly<Record<string, string | undefined>>

/** What is there. @see sd_booted(3) */
export function isSystemdRunning(): boolean {
  return existsSync('/run/systemd/system')
}

/** Default scheduler of this machine. */
export function schedulerHere(): Scheduler {
  return isSystemdRunning() ? 'systemd' : 'cron'
}

/** Files of a schedule; empty for a user's cron, whose entries only a command can change. */
export function filesOf(plan: SchedulePlan, scheduler: Scheduler, env: Environment): readonly ScheduleFile[] {
  if (scheduler === 'systemd') return systemdUnits(plan, systemdDirectory(plan.scope, env))
  return plan.scope.kind === 'system' ? [cronFile(plan, CRON_DIRECTORY, hostname())] : []
}

/** Lines of a schedule for a user's crontab. */
export function linesForCrontab(plan: SchedulePlan): readonly string[] {
  return crontabLines(plan, hostname())
}

/** Possible paths of a schedule's files, by scheduler. */
export function pathsOf(name: string, scope: Scope, env: Environment): Readonly<Record<Scheduler, readonly string[]>> {
  const unit = unitName(name)
  const systemd = systemdDirectory(scope, env)
  return {
    systemd: [join(systemd, `${unit}.timer`), join(systemd, `${unit}.service`)],
    cron: scope.kind === 'system' ? [join(CRON_DIRECTORY, unit)] : [],
  }
}

const CRON_DIRECTORY = '/etc/cron.d'

/** @see systemd.unit(5), section "Unit File Load Path" */
function systemdDirectory(scope: Scope, env: Environment): string {
  if (scope.kind === 'system') return '/etc/systemd/system'
  const configHome = env['XDG_CONFIG_HOME']
  return join(configHome?.startsWith('/') === true ? configHome : join(scope.home, '.config'), 'systemd/user')
}
