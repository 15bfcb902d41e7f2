import type { Decision } from '../../model/decision.ts'
import type { Observation, Seen } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import {
  type ResourceContext,
  type ResourceType,
  defineProperties,
  defineResource,
} from '../../resource-type/define.ts'
import { isAcceptance, valuesNamed } from '../../model/acceptance.ts'
import { wantedActions } from './stack/control.ts'
import { PAM_TYPES } from './stack/stack.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { applyPam } from './apply.ts'
import { decidePam } from './decide.ts'
import type { PamAction, PamState, PamDesired } from './model.ts'
import { decideServices, EVERY_SERVICE, type PamServices } from './every-service.ts'
import { withFeatures } from './features.ts'
import { observeEvery, observeService } from './observe.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    phase: 'early',
    pattern: {
      expression: '[A-Za-z0-9_@-][A-Za-z0-9_.@-]*|[*]',
      describes: 'the name of a service or stack, such as sshd or common-auth, or * for all of them',
    },
    summary:
      'The service, such as `sshd`, or a stack that services share, such as `common-auth` or `system-auth`. It is expanded as in libpam, with `include`, `substack` and `@include`; a service without lines of the type uses those of `other`. `*` is every service and stack with a file; drift in a shared stack is reported once.',
  },
  type: {
    kind: 'text',
    required: true,
    oneOf: PAM_TYPES,
    phase: 'early',
    parameter: true,
    summary: 'Stack of the module.',
  },
  module: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary: 'The module, with `.so` or without.',
  },
  with: {
    kind: 'list',
    items: { kind: 'text', summary: 'An argument as written on the line.', nonEmpty: true },
    phase: 'early',
    parameter: true,
    summary: 'Checks only lines of the module with all of these arguments, such as `[preauth]` of pam_faillock.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether the module is in the stack: a file contains it, and some path through the stack calls it.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if the service does not exist or has no line of the module: drift or compliant.',
  },
  control_flag: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'The control field of the line: `required`, `requisite`, `sufficient`, `optional`, or pairs such as `[success=1 default=ignore]`, compared by meaning.',
  },
  arguments: {
    kind: 'map',
    values: {
      kind: 'text',
      accepts: 'fields',
      summary: 'Accepted value; `true` or `false` for a flag.',
      nonEmpty: true,
    },
    phase: 'early',
    summary:
      "The effective arguments of every line of the module: the argument on the line, otherwise the value in the module's configuration file (faillock.conf, pwhistory.conf, pwquality.conf with its drop-ins), otherwise the module's default. `hash` of pam_unix is the hashing scheme of new passwords, which login.defs sets if no argument does.",
  },
  required: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'With `true`, no path through the stack succeeds unless it called this module and the module did not object.',
  },
  unless: {
    kind: 'list',
    items: { kind: 'text', summary: 'A module.', nonEmpty: true },
    phase: 'early',
    parameter: true,
    summary:
      'Modules whose success may replace this module if it is `required`, such as `[pam_rootok]` of su, or may replace the module whose failure it `catches`, such as `[pam_sss]`. With `*`, a service that lets users in by these modules alone needs no line of this one.',
  },
  beside: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'Applies only if the stack also calls this module: `*` with `beside: pam_unix` means each service that asks for a password.',
  },
  except: {
    kind: 'list',
    items: { kind: 'text', summary: 'A service.', nonEmpty: true },
    phase: 'early',
    parameter: true,
    summary: 'With `*`, services to exclude, such as `[lightdm-autologin]`.',
  },
  before: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary: 'No path through the stack calls the other module before this one.',
  },
  after: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary: 'No path through the stack calls the other module after this one.',
  },
  catches: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary:
      'If the other module fails and the whole stack fails, this module was called in between: pam_faillock with `authfail` must follow pam_unix.',
  },
})

/** PAM modules in the stacks of services. */
export const pam: ResourceType = defineResource({
  type: 'pam',
  summary: 'PAM modules: whether every login passes them, the order of calls, and their options.',
  properties,
  rules: [
    {
      reads: ['control_flag'],
      at: 'control_flag',
      check: ({ control_flag: control }) => (control === undefined ? undefined : controlProblem(control)),
    },
    {
      summary: '`unless` requires `required: true` or `catches`.',
      reads: ['required', 'catches', 'unless'],
      at: 'unless',
      check: ({ required, catches, unless }) =>
        unless === undefined || required === true || catches !== undefined
          ? undefined
          : 'unless needs "required: true" or "catches"',
    },
    {
      summary: '`except` requires the name `*`.',
      reads: ['name', 'except'],
      at: 'except',
      check: ({ name, except }) =>
        except === undefined || name === EVERY_SERVICE ? undefined : 'except needs the name "*"',
    },
    {
      summary: '`ensure: absent` excludes requirements for how the module is called.',
      reads: ['ensure', 'control_flag', 'arguments', 'required', 'before', 'after', 'catches'],
      at: 'ensure',
      check: ({ ensure, control_flag: control, arguments: given, required, before, after, catches }) =>
        ensure === 'absent' && [control, given, required, before, after, catches].some((each) => each !== undefined)
          ? 'ensure: absent cannot be combined with requirements on how the module is called'
          : undefined,
    },
  ],
  drifts: ['ensure', 'control_flag', 'required', 'before', 'after', 'catches', 'arguments'],
  neverSecret: ['ensure', 'control_flag', 'required', 'before', 'after', 'catches'],
  examples: [
    {
      title: 'Every SSH login passes pam_faillock, and every failed login is counted',
      yaml: `
        pam:
          - sshd:
              type: auth
              module: pam_faillock
              with: [preauth]
              required: true
              before: pam_unix
              alias: faillock asks
          - sshd:
              type: auth
              module: pam_faillock
              with: [authfail]
              catches: pam_unix
              alias: faillock counts`,
    },
    {
      title: 'The last 24 passwords are remembered, and no empty one is accepted',
      yaml: `
        pam:
          - common-password:
              type: password
              module: pam_pwhistory
              control_flag: { one_of: [required, requisite] }
              arguments: { remember: { at_least: 24 }, use_authtok: true }
          - common-auth:
              type: auth
              module: pam_unix
              arguments: { nullok: false }`,
    },
    {
      title: 'No service accepts an empty password, not even on a separate line',
      yaml: `
        pam:
          - "*":
              type: auth
              module: pam_unix
              if_absent: compliant
              arguments: { nullok: false }`,
    },
    {
      title: 'Every service with passwords uses pam_faillock, except for root',
      yaml: `
        pam:
          - "*":
              type: auth
              module: pam_faillock
              with: [preauth]
              beside: pam_unix
              required: true
              unless: [pam_rootok]`,
    },
  ],
  platforms: ['linux'],
  observe: observeAny,
  decide: decideAny,
  hazards: () => ({ risk: RISKS.login }),
  apply: applyPam,
})

function observeAny(
  machine: Pick<Target, 'probe' | 'run'> & HasFiles<'stat' | 'realPath' | 'readHead'>,
  wanted: PamDesired,
  { signal }: Pick<ResourceContext, 'signal'>,
): Observation<PamState | PamServices> | Promise<Observation<PamState>> {
  if (wanted.name === EVERY_SERVICE) return observeEvery(machine, wanted)
  const seen = observeService(machine, wanted)
  if (seen.kind !== 'present' || seen.state.tool !== 'authselect') return seen
  return withFeatures(machine, wanted, seen, signal)
}

function decideAny(wanted: PamDesired, observed: Seen<PamState | PamServices>): Decision<PamAction> {
  if (observed.kind === 'absent') return decidePam(wanted, observed)
  const { state } = observed
  return 'services' in state ? decideServices(wanted, state) : decidePam(wanted, { ...observed, state })
}

function controlProblem(control: NonNullable<PamDesired['control_flag']>): string | undefined {
  const named = isAcceptance(control) ? (isPattern(control) ? [] : valuesNamed(control)) : [control]
  const wrong = named.find((each) => wantedActions(each) === undefined)
  if (isAcceptance(control) && isPattern(control)) return 'control_flag is compared by meaning, so it takes no patterns'
  return wrong === undefined ? undefined : `control_flag has ${wrong}, which is neither a keyword nor pairs in brackets`
}

function isPattern({ matches, not_matches: notMatches }: { matches?: unknown; not_matches?: unknown }): boolean {
  return matches !== undefined || notMatches !== undefined
}
