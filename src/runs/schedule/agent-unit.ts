import { join } from 'node:path'
import type { Writable } from './plan.ts'
import { quoteArgument, quotePath } from './systemd-quote.ts'
import { MANNERS, readOnlySystem, unitName } from './systemd-units.ts'

/** How an agent is started, and what it writes. */
export interface AgentService extends Writable {
  readonly command: readonly [program: string, ...words: string[]]
  /** What makes the host part of a fleet. */
  readonly directory: string
  /** Whether it carries out orders: then what it may write is what a fix may. */
  readonly mayRepair: boolean
}

/** The unit that keeps an agent running on a host that has joined a fleet; elsewhere it does nothing. */
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
      ? ['# Repairs what approvers have ordered, so nothing is kept from it.']
      : readOnlySystem(unitName('agent'), { writable: [directory, ...writable], usesState })),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')
}
