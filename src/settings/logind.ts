import { RISKS } from '../model/risk.ts'
import { systemdSurface } from './systemd.ts'
import { number, seconds, text, words, yesOrNo } from './systemd-values.ts'
import type { KeyRules, Surface } from './surface.ts'

/** Whether processes of users end with their session is up to the distribution. */
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

/** Sessions of users. It is told to read its configuration again, since a restart may take a graphical session along. */
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
