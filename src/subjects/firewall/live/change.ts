import type { ApplyOutcome } from '../../../model/decision.ts'
import type { FirewallChange, JudgeRules } from '../firewall.ts'
import { createLocalProbe } from '../../../host/live/probe.ts'
import type { Bench } from './bench.ts'
import { firewalldSteps } from './firewalld-steps.ts'
import { iptablesSteps } from './iptables-steps.ts'
import { nftSteps } from './nft-steps.ts'
import { openFirewall } from './rules.ts'
import { carryOutAll, type Problem, type Steps } from './steps.ts'
import { ufwSteps } from './ufw-steps.ts'

/** Changes the rules through what keeps them, and looks at what has come of it. */
export async function changeFirewall(change: FirewallChange, judge: JudgeRules, bench: Bench): Promise<ApplyOutcome> {
  const steps = await stepsFor(change, judge, bench)
  return 'problem' in steps
    ? { kind: 'failed', message: steps.problem }
    : carryOutAll(steps, () => lookAgain(change, judge, bench))
}

async function stepsFor(change: FirewallChange, judge: JudgeRules, bench: Bench): Promise<Steps> {
  switch (change.manager) {
    case 'nftables':
      return nftSteps(change, judge, bench)
    case 'iptables':
      return iptablesSteps(change, judge, bench)
    case 'ufw':
      return ufwSteps(change, bench)
    case 'firewalld':
      return firewalldSteps(change, judge, bench)
  }
}

async function lookAgain({ manager, halves }: FirewallChange, judge: JudgeRules, { signal }: Bench): Promise<Problem> {
  const firewall = openFirewall({ probe: createLocalProbe() })
  if (halves.inForce !== 'kept') {
    const rules = await firewall.rules(signal)
    const problem = rules.kind === 'unknown' ? rules.detail : judge(rules.value)
    if (problem !== undefined) return `the running ruleset is not compliant after the change: ${problem}`
  }
  if (!halves.stored) return undefined
  const stored = await firewall.stored(manager, signal)
  const problem = stored.kind === 'unknown' ? stored.detail : judge(stored.value)
  return problem && `the stored ruleset is not compliant after the change: ${problem}`
}
