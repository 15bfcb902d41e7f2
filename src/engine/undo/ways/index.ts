import { attributes } from './attributes.ts'
import { module } from '../../../subjects/kernel-modules/undo.ts'
import { mount } from '../../../subjects/mounts/undo.ts'
import { packages } from '../../../subjects/packages/undo.ts'
import { parameter } from '../../../subjects/sysctl/undo.ts'
import { path } from './path.ts'
import { records } from '../../../subjects/accounts/undo.ts'
import { rules } from '../../../subjects/firewall/undo.ts'
import { running } from './running.ts'
import { service } from '../../../subjects/services/undo.ts'
import type { Way } from '../../../host/undo-handler.ts'

/** The kinds of things that a fix changes and that can be looked at. */
export type ThingKind =
  'path' | 'attributes' | 'records' | 'packages' | 'service' | 'running' | 'parameter' | 'module' | 'mount' | 'rules'

// A state only ever comes from the same way that gets it again, so nobody has to know what it is.
const WAYS = {
  path,
  attributes,
  records,
  packages,
  service,
  running,
  parameter,
  module,
  mount,
  rules,
} satisfies Record<ThingKind, unknown> as unknown as Readonly<Record<ThingKind, Way<unknown>>>

/** How things of a kind are put back. */
export function wayOf(kind: ThingKind): Way<unknown> {
  return WAYS[kind]
}
