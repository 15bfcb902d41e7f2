import type { Decision } from '../../model/decision.ts'
import type { Observation, Seen } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { ResourceContext, ResourceType } from '../../resource-type/define.ts'
import { isAcceptance, valuesNamed } from '../../model/acceptance.ts'
import { defineProperties, defineResource } from '../../resource-type/define.ts'
import { wantedActions } from './stack/control.ts'
import { PAM_TYPES } from './stack/stack.ts'
import type { Target } from '../../host/target.ts'
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
      'The service, such as `sshd`, or a stack that services share, such as `common-auth` or `system-auth`. It is expanded as libpam does it, with `include`, `substack` and `@include`; a service without lines of the type has those of `other`. `*` is every service and stack that has a file: what several share is told once.',
  },
  type: {
    kind: 'text',
    required: true,
    oneOf: PAM_TYPES,
    phase: 'early',
    parameter: true,
    summary: 'Which of the four stacks.',
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
    items: { kind: 'text', summary: 'An argument as it stands on the line.', nonEmpty: true },
    phase: 'early',
    parameter: true,
    summary:
      'Only lines of the module that have all of these arguments are meant, such as `[preauth]` of pam_faillock.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary:
      'Whether the module is in the stack. It is there if a file has it and there is a way through the stack on which it is called.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'What it is if there is no such service, or no line of the module in it: a difference, or compliant.',
  },
  control_flag: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'What follows from what the module returns: `required`, `requisite`, `sufficient`, `optional`, or pairs such as `[success=1 default=ignore]`, compared by their meaning.',
  },
  arguments: {
    kind: 'map',
    values: {
      kind: 'text',
      accepts: 'fields',
      summary: 'What is accepted; of a flag `true` or `false`.',
      nonEmpty: true,
    },
    phase: 'early',
    summary:
      'What every line of the module goes by: the argument on the line, else what the configuration file of the module says (faillock.conf, pwhistory.conf, pwquality.conf with its directory), else the default of the module. `hash` of pam_unix is the scheme of new passwords, which login.defs names where no argument does.',
  },
  required: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'With `true`, success cannot be reached on any way without this module having been called and having raised no objection.',
  },
  unless: {
    kind: 'list',
    items: { kind: 'text', summary: 'A module.', nonEmpty: true },
    phase: 'early',
    parameter: true,
    summary:
      'Modules whose success may stand in for this one where it is `required`, such as `[pam_rootok]` of su, or for the one whose failure it `catches`, such as `[pam_sss]`.',
  },
  beside: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'The requirement holds only where the stack calls this module, too: with `*` and `beside: pam_unix` for each service that asks for a password.',
  },
  before: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary: 'The other module is not called on any way before this one was called.',
  },
  after: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary: 'The other module is not called on any way once this one was called.',
  },
  catches: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary:
      'Where the other module refuses and so does the whole stack, this one was called in between, as pam_faillock with `authfail` has to be behind pam_unix.',
  },
})

/** PAM modules in the stacks of services. */
export const pam: ResourceType = defineResource({
  type: 'pam',
  summary:
    'Modules of PAM: whether a service can be passed without them, in which order they are called, and what they go by.',
  properties,
  rules: [
    {
      reads: ['control_flag'],
      at: 'control_flag',
      check: ({ control_flag: control }) => (control === undefined ? undefined : controlProblem(control)),
    },
    {
      summary: '`unless` goes with `required: true` or `catches`.',
      reads: ['required', 'catches', 'unless'],
      at: 'unless',
      check: ({ required, catches, unless }) =>
        unless === undefined || required === true || catches !== undefined
          ? undefined
          : 'unless needs "required: true" or "catches"',
    },
    {
      summary: 'A module that must be absent has nothing else said of how it is called.',
      reads: ['ensure', 'control_flag', 'arguments', 'required', 'before', 'after', 'catches'],
      at: 'ensure',
      check: ({ ensure, control_flag: control, arguments: given, required, before, after, catches }) =>
        ensure === 'absent' && [control, given, required, before, after, catches].some((each) => each !== undefined)
          ? 'ensure: absent leaves nothing to say about how the module is called'
          : undefined,
    },
  ],
  drifts: ['ensure', 'control_flag', 'required', 'before', 'after', 'catches', 'arguments'],
  neverSecret: ['ensure', 'control_flag', 'required', 'before', 'after', 'catches'],
  examples: [
    {
      title: 'Every SSH login passes pam_faillock, and every wrong password counts',
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
      title: 'No service accepts an empty password, not in a line of its own either',
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
  machine: Pick<Target, 'stat' | 'probe' | 'realPath' | 'readHead' | 'run'>,
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
