import { RISKS } from '../model/risk.ts'
import { systemdSurface } from './systemd.ts'
import { number, seconds, text, words, yesOrNo } from './systemd-values.ts'
import type { KeyRules, Surface } from './surface.ts'

/** Whether user processes are killed at the end of their session depends on the distribution. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  KillUserProcesses: yesOrNo(),
  KillOnlyUsers: words(''),
  KillExcludeUsers: words('root'),
  IdleAction: text('ignore'),
  IdleActionSec: seconds('30min'),
  StopIdleSessionSec: seconds('infinity'),
  InhibitDelayMaxSec: seconds('5s'),
  UserStopDelaySec: seconds('10s'),
  RemoveIPC: yesOrNo('yes'),
  InhibitorsMax: number('8192'),
  SessionsMax: number('8192'),
}

/** User sessions. logind reloads its configuration on a signal, since a restart may end a graphical session. */
export const logind: Surface = {
  ...systemdSurface({
    name: 'logind',
    section: 'Login',
    program: 'systemd-logind',
    activation: { kind: 'signal', unit: 'systemd-logind.service' },
    rulesOf: (key) => KEYS[key] ?? text(),
  }),
  risk: RISKS.session,
}
