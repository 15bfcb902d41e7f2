import { systemdSurface } from './systemd.ts'
import { bytes, text, wordRules, yesOrNo } from './systemd-values.ts'
import type { KeyRules, Surface } from './surface.ts'

const KEYS: Readonly<Record<string, KeyRules>> = {
  Storage: wordRules(['none', 'external', 'journal'], 'external'),
  Compress: yesOrNo('yes'),
  ProcessSizeMax: bytes(),
  ExternalSizeMax: bytes(),
  JournalSizeMax: bytes('767M'),
  MaxUse: bytes(),
  KeepFree: bytes(),
}

/** systemd's handling of core dumps. Its configuration is read for every dump. */
export const coredump: Surface = systemdSurface({
  name: 'coredump',
  section: 'Coredump',
  program: 'systemd-coredump',
  activation: { kind: 'none' },
  rulesOf: (key) => KEYS[key] ?? text(),
})
