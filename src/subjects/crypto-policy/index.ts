import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { runChange } from '../shared/run-change.ts'
import { type CryptoPolicyState, decideCryptoPolicy, writtenPolicy } from './decide.ts'
import { observeCryptoPolicy } from './observe.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: { expression: '[A-Z0-9][A-Z0-9_.-]*', describes: 'the name of a policy in capitals, such as "DEFAULT"' },
    phase: 'early',
    summary:
      'The policy without its modules, such as `DEFAULT`, `FUTURE` or `FIPS`: as configured (`configured`), as applied (`applied`), and in the back-end files that programs read (`backends`). Without modules these are compared with the files shipped with the policy, with modules by `update-crypto-policies --check`.',
  },
  modules: {
    kind: 'list',
    items: {
      kind: 'text',
      pattern: { expression: '[A-Z0-9][A-Z0-9_.-]*', describes: 'the name of a module in capitals, such as "NO-SHA1"' },
      summary: 'A module.',
    },
    accepts: 'list',
    phase: 'early',
    summary: 'The modules added to it, in order, such as `NO-SHA1`. A later one overrides an earlier one.',
  },
  or: {
    kind: 'list',
    items: {
      kind: 'text',
      pattern: { expression: '[A-Z0-9][A-Z0-9_.-]*', describes: 'the name of a policy in capitals, such as "FIPS"' },
      summary: 'A policy.',
    },
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'Other accepted policies, such as stricter ones, with any modules that `modules` does not exclude. A fix keeps them.',
  },
  opt_outs: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'Verdict if sshd opts out of the policy: CRYPTO_POLICY in /etc/sysconfig/sshd, or no line that includes the back-end file of the policy. Other services are checked with `setting`.',
  },
  fips: { kind: 'boolean', phase: 'early', summary: 'Whether the kernel runs in FIPS mode.' },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if crypto-policies is not installed, as on Debian.',
  },
})

const exports = defineExports({
  applied: { kind: 'text', summary: 'The applied policy, with its modules after colons.' },
})

export const cryptoPolicy: ResourceType = defineResource({
  type: 'crypto_policy',
  summary: 'The system-wide cryptographic policy of Red Hat and derivatives: configured, applied and used by programs.',
  properties,
  exports,
  drifts: ['ensure', 'configured', 'applied', 'backends', 'opt_outs', 'fips'],
  neverSecret: ['ensure', 'configured', 'applied', 'backends', 'opt_outs', 'fips'],
  examples: [
    {
      title: 'No SHA-1 signatures, and no program with its own policy',
      yaml: `
        crypto_policy:
          - DEFAULT:
              modules: { includes: [NO-SHA1] }`,
    },
  ],
  platforms: ['linux'],
  observe: (target, _wanted, { signal }) => observeCryptoPolicy(target, signal),
  decide: decideCryptoPolicy,
  hazards: () => ({ risk: RISKS.ssh }),
  apply: (remediator, _wanted, { policy }, { signal }) =>
    runChange(remediator, ['update-crypto-policies', '--set', policy], signal, {
      undo: { kind: 'files', paths: ['/etc/crypto-policies'] },
    }),
  exportsOf(_wanted, observed: Seen<CryptoPolicyState>): ExportsOf<typeof exports> {
    if (observed.kind === 'absent') return {}
    const { current } = observed.state
    return { applied: current.kind === 'known' ? writtenPolicy(current.value) : undefined }
  },
})
