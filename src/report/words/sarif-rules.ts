import { hash } from 'node:crypto'
import { escapeForTerminal } from '../../model/escape.ts'
import type { ControlResult, PolicyResult, ResourceResult } from '../../model/run.ts'
import { DEFAULT_SEVERITY, type Severity } from '../../model/verdict.ts'
import { type Controls, gravestControl, indexControls } from './controls.ts'
import { escapeProse } from './markdown.ts'
import { messageText, SARIF_LEVELS, type SarifProfile, type SarifRule } from './sarif-log.ts'
import { clip } from './clip.ts'

export interface RuleReference {
  readonly id: string
  readonly index: number
}

/** The rules of a SARIF run: those of the controls first, others in the order of their first use. */
export interface RuleBook {
  readonly rules: readonly SarifRule[]
  /** The rule of the resource's control with the highest severity, or of its type. */
  readonly ofResource: (policy: PolicyResult, result: ResourceResult) => RuleReference
  readonly controlsOf: (policy: PolicyResult) => Controls
  readonly ofControl: (policy: PolicyResult, control: ControlResult) => RuleReference
  /** The rule of a resource that is known only by its id. */
  readonly ofType: (type: string) => RuleReference
  readonly ofScan: () => RuleReference
}

/** The rule for the completeness of the scan itself. The id is reserved. */
export const SCAN_RULE = 'driftgate/scan'

/** GitHub's severities as CVSS scores: above 9 critical, from 7 high, from 4 medium, from 0.1 low. */
const SECURITY_SEVERITIES: Readonly<Record<Severity, string>> = {
  info: '0.0',
  low: '2.0',
  medium: '5.5',
  high: '8.0',
  critical: '9.5',
}

/** GitHub keeps this number of tags per rule, and shows ten of them. */
const GITHUB_TAGS = 20

const TEXT_CHARACTERS = 2_000
const NAME_CHARACTERS = 250
const DIGEST_CHARACTERS = 16

/** Collects the rules for the results of some policies: all controls first, types on first use. */
export function createRuleBook(policies: readonly PolicyResult[], profile: SarifProfile): RuleBook {
  const rules: SarifRule[] = []
  const references = new Map<string, RuleReference>()
  const taken = new Set([SCAN_RULE])
  const byPolicy = new Map<PolicyResult, Controls>()
  let scan: RuleReference | undefined
  const refer = (parts: readonly string[], make: (id: string) => SarifRule): RuleReference => {
    const key = JSON.stringify(parts)
    const known = references.get(key)
    if (known !== undefined) return known
    const usual = ruleId(parts.join('/'))
    const id = taken.has(usual) ? withDigest(usual, key) : usual
    taken.add(id)
    const reference = { id, index: rules.push(make(id)) - 1 }
    references.set(key, reference)
    return reference
  }
  const ofControl = (policy: PolicyResult, control: ControlResult): RuleReference => {
    const parts = [policy.id, ...(control.path ?? []), control.id]
    return refer(parts, (id) => controlRule(id, control, profile))
  }
  const ofType = (type: string): RuleReference => refer([type], (id) => typeRule(id, type, profile))
  for (const policy of policies) {
    byPolicy.set(policy, indexControls(policy))
    for (const control of policy.controls) ofControl(policy, control)
  }
  return {
    rules,
    ofResource: (policy, result) => {
      const control = gravestControl(result, byPolicy.get(policy) ?? new Map())
      return control === undefined ? ofType(result.type) : ofControl(policy, control)
    },
    controlsOf: (policy) => byPolicy.get(policy) ?? new Map(),
    ofControl,
    ofType,
    ofScan: () => {
      scan ??= { id: SCAN_RULE, index: rules.push(scanRule(profile)) - 1 }
      return scan
    },
  }
}

/** A digest keeps shortened ids distinct. */
function ruleId(text: string): string {
  const escaped = escapeForTerminal(text)
  return escaped.length <= NAME_CHARACTERS ? escaped : withDigest(escaped, text)
}

/** Appends a digest to an id that would collide with another one. */
function withDigest(id: string, whole: string): string {
  const digest = hash('sha256', whole, 'hex').slice(0, DIGEST_CHARACTERS)
  return `${clip(id, NAME_CHARACTERS - DIGEST_CHARACTERS - 1)}~${digest}`
}

function controlRule(id: string, control: ControlResult, profile: SarifProfile): SarifRule {
  const { severity, title = control.id, description = title, remediation, tags = [] } = control
  const references = Object.entries(control.references ?? {}).map(([catalogue, ids]) => ({ catalogue, ids }))
  const sections = [
    ...(remediation === undefined ? [] : [{ label: 'Remediation', text: remediation }]),
    ...references.map(({ catalogue, ids }) => ({ label: catalogue, text: ids.join(', ') })),
  ]
  return makeRule(profile, {
    id,
    severity,
    title,
    description,
    sections: sections.length === 0 ? [{ label: 'Remediation', text: ADVICE }] : sections,
    tags: [...tags, ...references.flatMap(({ catalogue, ids }) => ids.map((each) => `${catalogue}:${each}`))],
    addresses: references.flatMap(({ ids }) => ids.filter((each) => /^https?:\/\//i.test(each) && URL.canParse(each))),
  })
}

const ADVICE = 'Bring the host into the state that the policy describes, for example with driftgate scan --fix.'

function typeRule(id: string, type: string, profile: SarifProfile): SarifRule {
  const title = `Every ${type} is in its desired state`
  const description = `A resource of the type ${type} that supports no control is in the state its policy describes.`
  const sections = [{ label: 'Remediation', text: ADVICE }]
  return makeRule(profile, { id, severity: DEFAULT_SEVERITY, title, description, sections, tags: [] })
}

function scanRule(profile: SarifProfile): SarifRule {
  return makeRule(profile, {
    id: SCAN_RULE,
    severity: 'high',
    title: 'The scan is complete',
    description: 'Every policy could be read, and everything it selects was evaluated.',
    sections: [{ label: 'Remediation', text: 'Correct the policies or the pipeline, then scan again.' }],
    tags: [],
  })
}

interface RuleContent {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly description: string
  readonly sections: readonly { readonly label: string; readonly text: string }[]
  readonly tags: readonly string[]
  readonly addresses?: readonly string[]
}

function makeRule(
  profile: SarifProfile,
  { id, severity, title, description, sections, tags, ...more }: RuleContent,
): SarifRule {
  const plain = (text: string): string => messageText(clip(text, TEXT_CHARACTERS), profile)
  const [address] = more.addresses ?? []
  const all = [...new Set(['security', ...tags].map((tag) => escapeForTerminal(clip(tag, NAME_CHARACTERS))))]
  return {
    id,
    shortDescription: { text: plain(title) },
    fullDescription: { text: plain(description) },
    help: {
      text: sections.map(({ label, text }) => `${plain(label)}: ${plain(text)}`).join('\n'),
      markdown: sections
        .map(({ label, text }) => `**${escapeProse(label)}**: ${escapeProse(clip(text, TEXT_CHARACTERS))}`)
        .join('\n\n'),
    },
    ...(address === undefined ? {} : { helpUri: new URL(address).href }),
    defaultConfiguration: { level: SARIF_LEVELS[severity] },
    properties: {
      'security-severity': SECURITY_SEVERITIES[severity],
      tags: profile === 'github' ? all.slice(0, GITHUB_TAGS) : all,
    },
  }
}
