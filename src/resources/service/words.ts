import type { ActiveState, UnitFileState } from '../../target/services.ts'

/** What a unit is: running, stopped, or on its way for too long. @see systemd(1) */
export const RUNTIME: Readonly<Record<ActiveState, 'running' | 'stopped' | 'activating' | 'deactivating'>> = {
  active: 'running',
  reloading: 'running',
  refreshing: 'running',
  inactive: 'stopped',
  failed: 'stopped',
  maintenance: 'stopped',
  activating: 'activating',
  deactivating: 'deactivating',
}

/** What counts as enabled, as CCM has it: also a unit that others pull in, so that nothing needs to be enabled. */
export const ENABLED: Readonly<Record<UnitFileState, boolean>> = {
  enabled: true,
  'enabled-runtime': true,
  alias: true,
  static: true,
  indirect: true,
  generated: true,
  transient: true,
  linked: false,
  'linked-runtime': false,
  masked: false,
  'masked-runtime': false,
  disabled: false,
}
