import { GRAMMAR } from './files/grammar.ts'
import { sentence } from './files/problem.ts'
import type { GossContent } from './files/resource.ts'
import { rulesProblems } from './files/rules.ts'
import { defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { decideGoss } from './decide.ts'
import { observeGoss } from './observe.ts'

const properties = defineProperties({
  rules: {
    kind: 'any',
    required: true,
    phase: 'deferred',
    summary:
      'The checks in Goss syntax: a map from types (`file`, `port`, `command` and so on) to resources. `gossfile` is supported only in files, which `driftgate scan goss.yaml` reads.',
  },
})

/** Goss rules, which are judged and never fixed. */
export const goss: ResourceType = defineResource({
  type: 'goss',
  summary: 'Checks in Goss syntax, evaluated by driftgate. A fix does not act on them.',
  properties,
  rules: [{ reads: ['rules'], at: 'rules', check: ({ rules }) => rulesProblem(rules as GossContent) }],
  drifts: [...new Set(Object.values(GRAMMAR).flatMap(({ judged }) => judged))],
  examples: [
    {
      title: 'A web server that listens and answers',
      yaml: `
        goss:
          - the web server works:
              rules:
                port:
                  tcp:80: { listening: true }
                http:
                  http://localhost: { status: 200, body: [Welcome] }`,
    },
    {
      title: 'Lines of a file, and an optional package',
      yaml: `
        goss:
          - hardened as in our Goss files:
              rules:
                file:
                  /etc/ssh/sshd_config:
                    exists: true
                    mode: "0600"
                    contents: ["/^PermitRootLogin no/", "!/^PermitEmptyPasswords yes/"]
                package:
                  telnet: { installed: { or: [true, false] }, versions: [{ have-prefix: "0.17" }] }`,
    },
  ],
  observe: (target, { rules }, context) => observeGoss(target, rules as GossContent, context),
  decide: (_desired, { context }) => decideGoss(context),
  apply: async () => NEVER_APPLIED,
})

const NEVER_APPLIED = { kind: 'failed', message: 'Goss resources are checked only' } as const

function rulesProblem(rules: GossContent): string | undefined {
  const problems = rulesProblems(rules).map(({ path, message }) => sentence(path, message))
  return problems.length === 0 ? undefined : problems.join('; ')
}
