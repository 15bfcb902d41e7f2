import { systemdSurface } from '../../settings/systemd.ts'
import { seconds, text, wordRules, yesOrNo } from '../../settings/systemd-values.ts'
import type { KeyRules, Surface } from '../../settings/surface.ts'

const KEYS: Readonly<Record<string, KeyRules>> = {
  DumpCore: yesOrNo('yes'),
  CrashShell: yesOrNo('no'),
  CrashReboot: yesOrNo('no'),
  CtrlAltDelBurstAction: wordRules(
    [
      'none',
      'reboot',
      'reboot-force',
      'reboot-immediate',
      'poweroff',
      'poweroff-force',
      'poweroff-immediate',
      'exit',
      'exit-force',
    ],
    'reboot-force',
  ),
  DefaultTimeoutStartSec: seconds('90s'),
  DefaultTimeoutStopSec: seconds('90s'),
}

export const systemdManager: Surface = systemdSurface({
  name: 'system.conf',
  file: 'system',
  section: 'Manager',
  program: 'systemd',
  activation: { kind: 'command', argv: ['systemctl', 'daemon-reload'] },
  rulesOf: (key) => KEYS[key] ?? text(),
})
