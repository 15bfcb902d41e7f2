import { join } from 'node:path'
import type { Writable } from './plan.ts'
import { quoteArgument, quotePath } from './systemd-quote.ts'
import { MANNERS, readOnlySystem, unitName } from './systemd-units.ts'

/** Command and write access of an agent. */
export interface AgentService extends Writable {
  readonly command: readonly [program: string, ...words: string[]]
  /** Directory of the enrolment. */
  readonly directory: string
  /** True if the agent carries out orders, which requires the write access of a fix. */
  readonly mayRepair: boolean
}

/** systemd unit of an agent; inactive on hosts that are not enrolled. */
export function agentUnit({ command, directory, mayRepair, writable, usesState }: AgentService): string {
  return [
    '[Unit]',
    'Description=driftgate agent of a fleet',
    `ConditionPathExists=${quotePath(join(directory, 'agent.json'))}`,
    'Wants=network-online.target',
    '# The first scan at boot must not find services still starting.',
    'After=network-online.target multi-user.target',
    '',
    '[Service]',
    'User=root',
    `ExecStart=${command.map(quoteArgument).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=30s',
    ...MANNERS,
    '',
    ...(mayRepair
      ? ['# Applies fix orders, so it is not sandboxed.']
      : readOnlySystem(unitName('agent'), { writable: [directory, ...writable], usesState })),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')
}
