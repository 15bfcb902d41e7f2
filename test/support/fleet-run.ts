import type { ResourceResult, Run } from '../../src/model/run.ts'
import { SEVERITIES } from '../../src/model/verdict.ts'
import { mergeRuns } from '../../src/model/findings/merge.ts'
import { controlResult, policyResult, resourceResult, runOf } from './run.ts'

/** How unlike hosts are: each with drift of its own, or all with the same but for one host in seven on every tenth resource. */
export type Unlike = 'alike' | 'each its own'

/** The report of so many hosts with so many resources, each with a control; a third of them drifts. */
export function fleetRun(hosts: number, resources: number, unlike: Unlike = 'alike'): Run {
  const runs = Array.from({ length: hosts }, (_, host) => hostRun(host, resources, unlike))
  const [first = runOf(), ...others] = runs
  return mergeRuns([first, ...others])
}

function hostRun(host: number, count: number, unlike: Unlike): Run {
  const results = Array.from({ length: count }, (_, index) => numbered(index, host, unlike))
  const controls = results.map((result, index) =>
    controlResult({
      id: `site-${index}`,
      title: `Only root changes what application ${index} is configured with`,
      description: 'Whoever changes the configuration decides what the application does, and as whom.',
      remediation: `Run chmod 0640 and chown root on the configuration of application ${index}, or use --fix.`,
      references: { 'cis-debian-12': [`6.1.${index}`], 'nist-800-53': ['AC-3', 'AC-6'] },
      severity: result.severity,
      verdict: result.verdict,
      resources: [result.id],
    }),
  )
  const drifted = results.filter(({ verdict }) => verdict === 'drifted').length
  const hostname = `web${String(host + 1).padStart(2, '0')}.example.com`
  return runOf({
    policies: [policyResult({ id: 'site', title: 'The site', resources: results, controls })],
    target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } },
    run: { ...runOf().run, id: `0f9c2a4e-7b1d-4c3f-9a55-2d1f0e6b8c${String(host).padStart(2, '0')}` },
    exit: { code: 2, reasons: [`${drifted} resources drifted at or above severity info`] },
  })
}

function numbered(index: number, host: number, unlike: Unlike): ResourceResult {
  const isOdd = unlike === 'each its own' ? (index * 7 + host * 13) % 3 === 0 : index % 3 === 0
  const differs = index % 10 === 0 && host % 7 === 1
  const name = `/etc/application/configuration-${index}.conf`
  const severity = SEVERITIES[index % SEVERITIES.length] ?? 'medium'
  const base = {
    name,
    severity,
    controls: [`site-${index}`],
    source: { file: 'site.yaml', line: index + 9, column: 11 },
  }
  if (!isOdd) return resourceResult(base)
  const observed = unlike === 'each its own' ? `06${host % 8}${index % 8}` : differs ? '0666' : '0644'
  return resourceResult({
    ...base,
    verdict: 'drifted',
    change: 'will',
    drift: [
      { property: 'mode', desired: '0640', observed },
      { property: 'owner', desired: 'root', observed: unlike === 'each its own' ? `deploy${host}` : 'deploy' },
    ],
    actions: ['Would have updated attributes'],
  })
}
