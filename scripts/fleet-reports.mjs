// Makes the reports of a fleet that does not exist, for the bench and for looking at pages: a file for each host and run.
// As a program: node scripts/fleet-reports.mjs DIR [HOSTS [RESOURCES [RUNS]]]
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync } from 'node:zlib'

const HOUR_MS = 3_600_000
const SEVERITIES = ['low', 'medium', 'medium', 'high', 'critical']

/** How many resources stand behind one control. */
const PER_CONTROL = 5

/** So many hosts are unlike; the others are like one of them, which makes reports quickly. */
const KINDS = 97

/**
 * Writes them, the last run of each host some minutes old. Of the resources of a host 2 % drift and 0.3 % cannot be decided;
 * every third host lacks both.
 */
export function makeFleetReports(directory, { hosts, resources, runs = 1, nowMs = Date.now() }) {
  for (let run = runs - 1; run >= 0; run--) {
    const kinds = Array.from({ length: KINDS }, (_, kind) => JSON.stringify(report(kind, resources, run)))
    for (let index = 0; index < hosts; index++) {
      const startedAt = new Date(nowMs - run * HOUR_MS - (index % 50) * 60_000)
      const id = randomUUID()
      const text = kinds[index % KINDS]
        .replaceAll('@HOST@', hostName(index))
        .replaceAll('@ID@', id)
        .replaceAll('@TIME@', startedAt.toISOString())
      const folder = join(directory, hostName(index))
      mkdirSync(folder, { recursive: true })
      const path = join(folder, `${startedAt.toISOString().replaceAll(/[-:]/g, '')}-${id.slice(0, 8)}.json.gz`)
      writeFileSync(path, gzipSync(text, { level: constants.Z_BEST_SPEED }))
      utimesSync(path, startedAt, startedAt)
    }
  }
}

/** The name of a host by its number, from 0 on. */
export function hostName(index) {
  return `${['web', 'db', 'app', 'cache'][index % 4]}${String(index).padStart(5, '0')}.example.com`
}

function report(kind, count, run) {
  const results = Array.from({ length: count }, (_, index) => resource(index, kind, run))
  const controls = Array.from({ length: Math.ceil(count / PER_CONTROL) }, (_, index) => {
    const own = results.slice(index * PER_CONTROL, (index + 1) * PER_CONTROL)
    const worst = ['drifted', 'error', 'compliant'].find((verdict) => own.some((each) => each.verdict === verdict))
    return {
      id: `site-${String(index + 1).padStart(2, '0')}`,
      title: `Only root changes what application ${index + 1} is configured with`,
      severity: SEVERITIES[index % SEVERITIES.length],
      verdict: worst,
      resources: own.map(({ id }) => id),
    }
  })
  const verdicts = results.map(({ verdict }) => verdict)
  const of = (wanted) => verdicts.filter((verdict) => verdict === wanted).length
  const none = { fixed: 0, 'fix-failed': 0, blocked: 0, 'not-applicable': 0, waived: 0 }
  return {
    schema: 'driftgate.report/v1',
    tool: { name: 'driftgate', version: '0.1.0' },
    run: {
      id: '@ID@',
      mode: 'audit',
      startedAt: '@TIME@',
      finishedAt: '@TIME@',
      durationMs: 40,
      interrupted: false,
    },
    target: { kind: 'local', hostname: '@HOST@', os: { id: 'debian', version: '12' } },
    policies: [
      {
        id: 'site',
        source: 'policies/site.yaml',
        sha256: createHash('sha256')
          .update(run > 1 ? 'old' : 'new')
          .digest('hex'),
        resources: results,
        controls,
      },
    ],
    summary: { total: count, compliant: of('compliant'), drifted: of('drifted'), error: of('error'), ...none },
    exit: { code: of('drifted') > 0 ? 2 : of('error') > 0 ? 3 : 0, reasons: [] },
  }
}

function resource(index, kind, run) {
  const name = `/etc/application/configuration-${index}.conf`
  const isFine = kind % 3 === 0
  const number = (index * 31 + kind * 17 + run * 7) % 1_000
  const verdict = isFine || number >= 34 ? 'compliant' : number < 30 ? 'drifted' : 'error'
  return {
    id: `file#${name}`,
    type: 'file',
    name,
    provider: 'posix',
    verdict,
    ...(verdict === 'drifted' ? { change: 'will' } : {}),
    drift: verdict === 'drifted' ? [{ property: 'mode', desired: '0640', observed: '0666' }] : [],
    ...(verdict === 'error' ? { reason: 'permission-denied', detail: 'cannot read it' } : {}),
    actions: [],
    severity: SEVERITIES[Math.floor(index / PER_CONTROL) % SEVERITIES.length],
    controls: [`site-${String(Math.floor(index / PER_CONTROL) + 1).padStart(2, '0')}`],
    source: { file: 'policies/site.yaml', line: index + 9, column: 9 },
    durationMs: 0.25,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory = 'reports/fleet', hosts = '50', resources = '300', runs = '1'] = process.argv.slice(2)
  makeFleetReports(directory, { hosts: Number(hosts), resources: Number(resources), runs: Number(runs) })
}
