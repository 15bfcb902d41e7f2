import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { type ApparmorState, decideApparmor } from './apparmor.ts'
import { applyMac } from './apply.ts'
import { observeApparmor } from './observe-apparmor.ts'
import { observeSelinux } from './observe-selinux.ts'
import { decideSelinux, type SelinuxState } from './selinux.ts'
import type { MacDesired } from './wanted.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    oneOf: ['apparmor', 'selinux'],
    phase: 'early',
    summary: 'The system, which must always be active.',
  },
  profiles: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'AppArmor: the mode of every profile, `enforce`, `complain`, `kill`, `unconfined` or `prompt`, in the kernel (`profiles`) and as the files of /etc/apparmor.d have it for the next start (`stored`). What a link in `disable` keeps from being loaded is no profile. A fix makes what complains enforce: it takes the flag and the link in `force-complain` away, and loads the file again. A profile of the mode `unconfined` is not written to be enforced, and a fix leaves it.',
  },
  minimum: {
    kind: 'integer',
    default: 1,
    minimum: 0,
    phase: 'early',
    summary: 'AppArmor: how many profiles there have to be, loaded (`loaded`) and stored (`stored`).',
  },
  confined: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'AppArmor: whether every program to which a profile is attached has to run under one. One that was started before its profile was loaded does not, until it is started again, which a fix leaves to you.',
  },
  mode: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'SELinux: `enforcing`, `permissive` or `disabled`, now (`mode`) and after the next start (`stored`): in /etc/selinux/config, and in the boot arguments `selinux` and `enforcing` of this start. Not disabled, where it is not said. From disabled to another mode takes a start of the system, which gives all files their labels.',
  },
  policy: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'SELinux: the policy that /etc/selinux/config names, such as `targeted`, which has to be installed.',
  },
  booleans: {
    kind: 'map',
    values: { kind: 'text', oneOf: ['on', 'off'], summary: '`on` or `off`.' },
    nonEmpty: true,
    phase: 'early',
    summary:
      'SELinux: booleans of the policy by name, now (`booleans`) and after the next start (`stored_booleans`). A fix sets both with `setsebool -P`.',
  },
})

const exports = defineExports({
  active: { kind: 'boolean', summary: 'Whether it is active; not there where that cannot be seen.' },
  mode: { kind: 'text', summary: 'SELinux: what it does now.' },
  profiles: { kind: 'integer', summary: 'AppArmor: how many profiles are loaded.' },
})

const OF_APPARMOR = ['profiles', 'confined'] as const
const OF_SELINUX = ['mode', 'policy', 'booleans'] as const

type State =
  { readonly of: 'apparmor'; readonly state: ApparmorState } | { readonly of: 'selinux'; readonly state: SelinuxState }

export const mac: ResourceType = defineResource({
  type: 'mac',
  summary: 'AppArmor and SELinux: what they enforce now, and after the next start.',
  properties,
  rules: [
    {
      summary: 'Says nothing of AppArmor about SELinux, and nothing of SELinux about AppArmor.',
      reads: ['name', ...OF_APPARMOR, ...OF_SELINUX],
      check(given) {
        const foreign = given.name === 'apparmor' ? OF_SELINUX : OF_APPARMOR
        const wrong = foreign.find((property) => given[property] !== undefined)
        return wrong === undefined ? undefined : `"${wrong}" means nothing for ${given.name}`
      },
    },
    {
      reads: ['confined'],
      at: 'confined',
      check: ({ confined }) => (confined === false ? 'confined must be true, or not be there' : undefined),
    },
  ],
  exports,
  drifts: ['enabled', 'loaded', 'profiles', 'confined', 'mode', 'stored', 'policy', 'booleans', 'stored_booleans'],
  neverSecret: ['enabled', 'loaded', 'profiles', 'confined', 'mode', 'stored', 'policy', 'booleans', 'stored_booleans'],
  examples: [
    {
      title: 'Every profile of AppArmor enforces, and no program runs without its own',
      yaml: `
        mac:
          - apparmor:
              profiles: enforce
              confined: true`,
    },
    {
      title: 'SELinux enforces, now and after the next start',
      yaml: `
        mac:
          - selinux:
              mode: enforcing
              policy: targeted
              booleans:
                httpd_can_network_connect: off`,
    },
  ],
  providers: [
    {
      name: 'lsm',
      platforms: ['linux'],
      async observe(target, wanted: MacDesired, { signal }) {
        if (wanted.name === 'apparmor') {
          const seen = observeApparmor(target, wanted)
          return seen.kind === 'present'
            ? { ...seen, state: { of: 'apparmor' as const, state: seen.state } as State }
            : seen
        }
        const seen = await observeSelinux(target, wanted, signal)
        return seen.kind === 'present'
          ? { ...seen, state: { of: 'selinux' as const, state: seen.state } as State }
          : seen
      },
      apply: applyMac,
    },
  ],
  decide(wanted, observed) {
    const seen = stateOf(observed)
    return seen.of === 'apparmor' ? decideApparmor(wanted, seen.state) : decideSelinux(wanted, seen.state)
  },
  exportsOf(_wanted, observed): ExportsOf<typeof exports> {
    const seen = stateOf(observed)
    if (seen.of === 'apparmor') {
      const { enabled, loaded } = seen.state
      return { active: enabled === 'on', profiles: loaded.kind === 'known' ? loaded.value.length : undefined }
    }
    const mode = seen.state.mode.kind === 'known' ? seen.state.mode.value : undefined
    return { active: mode === undefined ? undefined : mode !== 'disabled', mode }
  },
})

/** A machine without the system has a state too. */
function stateOf(observed: Seen<State>): State {
  if (observed.kind === 'absent') throw new Error('what a machine has of mandatory access control is never absent')
  return observed.state
}
