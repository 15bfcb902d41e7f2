import { systemdSurface } from './systemd.ts'
import { seconds, text, words } from './systemd-values.ts'
import type { KeyRules, Surface } from './surface.ts'

/** Which servers are the fallback is up to the distribution. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  NTP: words(''),
  FallbackNTP: words(),
  RootDistanceMaxSec: seconds('5s'),
  PollIntervalMinSec: seconds('32s'),
  PollIntervalMaxSec: seconds('2048s'),
  ConnectionRetrySec: seconds('30s'),
  SaveIntervalSec: seconds('60s'),
}

/** The time client of systemd. */
export const timesyncd: Surface = systemdSurface({
  name: 'timesyncd',
  section: 'Time',
  program: 'systemd-timesyncd',
  activation: { kind: 'restart', unit: 'systemd-timesyncd.service' },
  rulesOf: (key) => KEYS[key] ?? text(),
})
