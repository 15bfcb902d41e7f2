import { attributes } from './attributes.ts'
import { module } from './module.ts'
import { mount } from './mount.ts'
import { packages } from './packages.ts'
import { parameter } from './parameter.ts'
import { path } from './path.ts'
import { records } from './records.ts'
import { rules } from './rules.ts'
import { running } from './running.ts'
import { service } from './service.ts'
import type { Way } from './way.ts'

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
