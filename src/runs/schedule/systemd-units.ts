import { join } from 'node:path'
import { markerOf, type ScheduleFile, type SchedulePlan, type Writable } from './plan.ts'
import { escapeSpecifiers, quoteArgument, quotePath } from './systemd-quote.ts'

/** Base name of a schedule's files and units. */
export function unitName(name: string): string {
  return `driftgate-${name}`
}

/** Service and timer of a schedule, in systemd's unit directory. */
export function systemdUnits(plan: SchedulePlan, directory: string): readonly ScheduleFile[] {
  const unit = unitName(plan.name)
  return [
    { path: join(directory, `${unit}.service`), text: serviceOf(plan) },
    { path: join(directory, `${unit}.timer`), text: timerOf(plan) },
  ]
}

function serviceOf(plan: SchedulePlan): string {
  const { name, scope, command, runTimeoutMs, usesNetwork } = plan
  const isSystem = scope.kind === 'system'
  return joinLines([
    markerOf(name),
    '[Unit]',
    `Description=driftgate scan (${name})`,
    '# A run that was missed while the host was off starts at boot, after all services.',
    isSystem ? 'After=multi-user.target' : 'After=default.target',
    ...(usesNetwork && isSystem ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '',
    '[Service]',
    'Type=oneshot',
    ...(isSystem ? ['User=root'] : []),
    `ExecStart=${command.map(quoteArgument).join(' ')}`,
    '# Drift (exit code 2) makes this unit fail, so that OnFailure= and "systemctl --failed" report it.',
    `TimeoutStartSec=${seconds(runTimeoutMs)}`,
    ...MANNERS,
    ...protection(plan),
  ])
}

/** Low priority and an orderly stop for a scan. */
export const MANNERS: readonly string[] = [
  'TimeoutStopSec=1min',
  '# Only the scan is signalled; it stops its commands itself, so that its reports are complete.',
  'KillMode=mixed',
  'Nice=10',
  'IOSchedulingClass=best-effort',
  'IOSchedulingPriority=7',
]

function protection({ name, scope, sandbox }: SchedulePlan): readonly string[] {
  if (sandbox.kind === 'off') return []
  // Namespaces of a user manager would map file owners to the overflow user, which an audit would report.
  if (scope.kind === 'user') return ['', ...HARMLESS]
  return ['', ...readOnlySystem(unitName(name), sandbox)]
}

const HARMLESS = ['NoNewPrivileges=yes', 'RestrictSUIDSGID=yes', 'RestrictRealtime=yes', 'LockPersonality=yes']

/**
 * Restricts writing of a system service to these folders. Restricts only writing: options that hide or replace anything
 * (PrivateTmp=, PrivateDevices=, ProtectHome=yes, ProtectKernelModules=, ProtectProc= and similar) would change the
 * audited machine. ProtectHome=read-only adds nothing to ProtectSystem=strict, and overrides a writable /root.
 */
export function readOnlySystem(unit: string, { writable, usesState }: Writable): readonly string[] {
  return [
    ...HARMLESS,
    'CapabilityBoundingSet=~CAP_SYS_MODULE CAP_SYS_BOOT CAP_SYS_TIME CAP_MKNOD CAP_LINUX_IMMUTABLE',
    '# Read access to everything, write access only to the following paths.',
    'ProtectSystem=strict',
    'ReadOnlyPaths=-/proc/sys -/sys',
    ...writable.map((path) => `ReadWritePaths=${quotePath(path)}`),
    ...(usesState ? ['StateDirectory=driftgate', 'StateDirectoryMode=0700'] : []),
    `RuntimeDirectory=${unit}`,
    'RuntimeDirectoryMode=0700',
    `Environment=TMPDIR=%t/${unit}`,
  ]
}

function timerOf({ name, calendars, randomizedDelayMs }: SchedulePlan): string {
  return joinLines([
    markerOf(name),
    '[Unit]',
    `Description=driftgate scan (${name}), when it is due`,
    '',
    '[Timer]',
    ...calendars.map((calendar) => `OnCalendar=${escapeSpecifiers(calendar)}`),
    'Persistent=yes',
    `RandomizedDelaySec=${seconds(randomizedDelayMs)}`,
    // A different delay for each host, the same every day.
    'FixedRandomDelay=yes',
    'AccuracySec=1s',
    '',
    '[Install]',
    'WantedBy=timers.target',
  ])
}

/** Duration in systemd syntax. */
function seconds(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${Math.ceil(milliseconds)}ms`
}

function joinLines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}
