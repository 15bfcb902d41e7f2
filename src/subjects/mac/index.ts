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
    summary: 'The security module, which must be active.',
  },
  profiles: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'AppArmor: the mode of every profile, `enforce`, `complain`, `kill`, `unconfined` or `prompt`, in the kernel (`profiles`) and in the files of /etc/apparmor.d for the next boot (`stored`). A profile that a link in `disable` keeps from loading does not count. A fix switches profiles from complain to enforce mode: it removes the flag and the link in `force-complain`, and reloads the file. A profile of mode `unconfined` is not written for enforcement; a fix does not change it.',
  },
  minimum: {
    kind: 'integer',
    default: 1,
    minimum: 0,
    phase: 'early',
    summary:
      'AppArmor: the required number of profiles, loaded (`loaded`) and stored (`stored`); none is stored for the next boot if `apparmor.service` is not enabled.',
  },
  confined: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'AppArmor: whether every program with an attached profile must run confined. A program that started before its profile was loaded is unconfined until it restarts; a fix does not restart it.',
  },
  mode: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'SELinux: `enforcing`, `permissive` or `disabled`, now (`mode`) and after a reboot (`stored`): in /etc/selinux/config, and in the boot arguments `selinux` and `enforcing` of this boot. By default, any mode except disabled. Changing from disabled to another mode requires a reboot, which relabels all files.',
  },
  policy: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'SELinux: the policy in /etc/selinux/config, such as `targeted`, which must be installed.',
  },
  booleans: {
    kind: 'map',
    values: { kind: 'text', oneOf: ['on', 'off'], summary: '`on` or `off`.' },
    nonEmpty: true,
    phase: 'early',
    summary:
      'SELinux: booleans of the policy by name, now (`booleans`) and after a reboot (`stored_booleans`). A fix sets both with `setsebool -P`.',
  },
})

const exports = defineExports({
  active: { kind: 'boolean', summary: 'Whether it is active; omitted if unknown.' },
  mode: { kind: 'text', summary: 'SELinux: the current mode.' },
  profiles: { kind: 'integer', summary: 'AppArmor: the number of loaded profiles.' },
})

const OF_APPARMOR = ['profiles', 'confined'] as const
const OF_SELINUX = ['mode', 'policy', 'booleans'] as const

type State =
  { readonly of: 'apparmor'; readonly state: ApparmorState } | { readonly of: 'selinux'; readonly state: SelinuxState }

export const mac: ResourceType = defineResource({
  type: 'mac',
  summary: 'AppArmor and SELinux: enforcement now and after a reboot.',
  properties,
  rules: [
    {
      summary: 'Properties of AppArmor are not set for SELinux, and vice versa.',
      reads: ['name', ...OF_APPARMOR, ...OF_SELINUX],
      check(given) {
        const foreign = given.name === 'apparmor' ? OF_SELINUX : OF_APPARMOR
        const wrong = foreign.find((property) => given[property] !== undefined)
        return wrong === undefined ? undefined : `"${wrong}" does not apply to ${given.name}`
      },
    },
    {
      reads: ['confined'],
      at: 'confined',
      check: ({ confined }) => (confined === false ? 'confined can only be true: omit it otherwise' : undefined),
    },
  ],
  exports,
  drifts: ['enabled', 'loaded', 'profiles', 'confined', 'mode', 'stored', 'policy', 'booleans', 'stored_booleans'],
  neverSecret: ['enabled', 'loaded', 'profiles', 'confined', 'mode', 'stored', 'policy', 'booleans', 'stored_booleans'],
  examples: [
    {
      title: 'Every AppArmor profile is in enforce mode, and every program with a profile is confined',
      yaml: `
        mac:
          - apparmor:
              profiles: enforce
              confined: true`,
    },
    {
      title: 'SELinux is enforcing, now and after a reboot',
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
  if (observed.kind === 'absent') throw new Error('mandatory access control is never absent')
  return observed.state
}
