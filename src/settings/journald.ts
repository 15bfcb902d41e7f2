import { systemdSurface } from './systemd.ts'
import { bytes, number, seconds, text, wordRules, yesOrNo } from './systemd-values.ts'
import type { KeyRules, Surface } from './surface.ts'

/** systemd's defaults. Debian changes that of ForwardToSyslog, so it is unknown. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  Storage: wordRules(['volatile', 'persistent', 'auto', 'none'], 'auto'),
  // A number of bytes is a threshold, from which on entries are compressed.
  Compress: { ...yesOrNo('yes'), takes: () => true },
  MaxLevelStore: text('debug'),
  MaxLevelSyslog: text('debug'),
  Seal: yesOrNo('yes'),
  SplitMode: wordRules(['uid', 'login', 'none'], 'uid'),
  SyncIntervalSec: seconds('5m'),
  RateLimitIntervalSec: seconds('30s'),
  RateLimitBurst: number('10000'),
  SystemMaxUse: bytes(),
  SystemKeepFree: bytes(),
  SystemMaxFileSize: bytes(),
  RuntimeMaxUse: bytes(),
  RuntimeKeepFree: bytes(),
  RuntimeMaxFileSize: bytes(),
  MaxFileSec: seconds('1month'),
  MaxRetentionSec: seconds('0'),
  ForwardToSyslog: yesOrNo(),
  ForwardToKMsg: yesOrNo('no'),
  ForwardToConsole: yesOrNo('no'),
  ForwardToWall: yesOrNo('yes'),
  ReadKMsg: yesOrNo('yes'),
  LineMax: bytes('48K'),
}

export const journald: Surface = systemdSurface({
  name: 'journald',
  section: 'Journal',
  program: 'systemd-journald',
  activation: { kind: 'restart', unit: 'systemd-journald.service' },
  rulesOf: (key) => KEYS[key] ?? text(),
})
