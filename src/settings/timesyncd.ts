import { systemdSurface } from './systemd.ts'
import { seconds, text, words } from './systemd-values.ts'
import type { KeyRules, Surface } from './surface.ts'

/** The fallback servers depend on the distribution. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  NTP: words(''),
  FallbackNTP: words(),
  RootDistanceMaxSec: seconds('5s'),
  PollIntervalMinSec: seconds('32s'),
  PollIntervalMaxSec: seconds('2048s'),
  ConnectionRetrySec: seconds('30s'),
  SaveIntervalSec: seconds('60s'),
}

/** systemd's time client. */
export const timesyncd: Surface = systemdSurface({
  name: 'timesyncd',
  section: 'Time',
  program: 'systemd-timesyncd',
  activation: { kind: 'restart', unit: 'systemd-timesyncd.service' },
  rulesOf: (key) => KEYS[key] ?? text(),
})
