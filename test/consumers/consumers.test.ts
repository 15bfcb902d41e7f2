import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { NO_REGISTRY } from '../support/allowed-skips.ts'
import { install, type Registry } from './install.ts'

interface Answer {
  readonly code: number | null
  readonly output: string
}

/** A program that reads reports in the field, and what it has to make of ours. */
interface Consumer {
  readonly registry: Registry
  readonly name: string
  readonly version: string
  readonly format: string
  /** What it says of the report of a compliant host, and of one of two hosts of which the first drifts. */
  readonly compliant: Partial<Answer>
  readonly drifted: Partial<Answer>
  readonly read: (directory: string, report: string) => Answer
}

function run(program: string, args: readonly string[], more: { input?: string; cwd?: string } = {}): Answer {
  // The SARIF multitool brings no tables of languages.
  const env = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1' }
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env, ...more })
  return { code: status, output: `${stdout}${stderr}`.trim() }
}

function python(directory: string, script: string, ...args: readonly string[]): Answer {
  return run(join(directory, 'bin/python'), ['-c', script, ...args])
}

const THRESHOLD = 'failed: { total: { max: 0 } }\nerror: { total: { max: 0 } }\n'

/** By status, as Heimdall counts them. */
const INSPECJS = `
const { contextualizeEvaluation, convertFile } = require(process.argv[1])
const file = convertFile(require('node:fs').readFileSync(process.argv[2], 'utf8'), true)
const controls = contextualizeEvaluation(file['1_0_ExecJson']).contains.flatMap((profile) => profile.contains)
const shown = controls.filter((control) => control.extendedBy.length === 0).map((control) => control.hdf.status)
console.log(shown.sort().join())`

const JUNITPARSER = `
import sys
from junitparser import JUnitXml
cases = [case for suite in JUnitXml.fromfile(sys.argv[1]) for case in suite]
print(len({(case.classname, case.name) for case in cases}), *sorted(type(each).__name__ for case in cases for each in case.result))
print(*sorted({f"{case._elem.get('file')}:{case._elem.get('line')}" for case in cases if case._elem.get('file')}))`

/** What the reporters of pull requests count. */
const TEST_RESULTS = `
const { parse } = require(process.argv[1])
const { status, failed, errors, suites } = parse({ type: 'junit', files: [process.argv[2]] })
console.log(status, failed, errors, ...suites.flatMap(({ cases }) => cases.map((each) => each.status)).sort())`

const PROMETHEUS = `
import sys
from prometheus_client.parser import text_string_to_metric_families as families
samples = [each for family in families(open(sys.argv[1]).read()) for each in family.samples]
assert len({(each.name, *sorted(each.labels.items())) for each in samples}) == len(samples)
print(*[int(each.value) for each in samples if each.name == 'driftgate_scan_exit_code'])`

/** A page of node_exporter over one directory of text files, and whether it could read all of them. */
const NODE_EXPORTER = `
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => (console.log(s.address().port), s.close()))')
prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$1" \\
  --web.listen-address="127.0.0.1:$port" 2>/dev/null &
trap "kill $!" EXIT
curl -s --retry-connrefused --retry 50 --retry-delay 1 "http://127.0.0.1:$port/metrics" |
  sed -n 's/^\\(driftgate_scan_exit_code\\|node_textfile_scrape_error\\)\\({[^}]*}\\)\\? //p'`

function countWarnings(parser: string): Consumer['read'] {
  const program = join(import.meta.dirname, 'Count.java')
  return (directory, report) => run('java', ['-cp', join(directory, 'lib/*'), program, parser, report])
}

const fine = { code: 0 }

const CONSUMERS: readonly Consumer[] = [
  {
    registry: 'npm',
    name: '@microsoft/sarif-multitool',
    version: '5.7.0',
    format: 'sarif',
    compliant: { code: 0, output: expect.not.stringMatching(/\berror\b/) },
    drifted: { code: 0, output: expect.not.stringMatching(/\berror\b/) },
    read: (directory, report) => run(join(directory, 'node_modules/.bin/sarif-multitool'), ['validate', report]),
  },
  {
    registry: 'npm',
    name: '@microsoft/sarif-multitool',
    version: '5.7.0',
    format: 'sarif-github',
    compliant: { code: 0, output: expect.not.stringMatching(/\berror\b/) },
    drifted: { code: 0, output: expect.not.stringMatching(/\berror\b/) },
    read: (directory, report) => run(join(directory, 'node_modules/.bin/sarif-multitool'), ['validate', report]),
  },
  {
    registry: 'npm',
    name: '@mitre/saf',
    version: '1.5.3',
    format: 'hdf',
    compliant: { code: 0, output: 'All validation tests passed' },
    drifted: { code: 1, output: expect.stringContaining('total failed controls (1)') },
    read(directory, report) {
      const threshold = join(directory, 'threshold.yml')
      writeFileSync(threshold, THRESHOLD)
      const saf = join(directory, 'node_modules/.bin/saf')
      return run(saf, ['validate', 'threshold', '--input', report, '--templateFile', threshold], { cwd: directory })
    },
  },
  {
    registry: 'npm',
    name: 'inspecjs',
    version: '2.12.6',
    format: 'hdf',
    compliant: { code: 0, output: 'Not Reviewed,Passed,Passed' },
    drifted: { code: 0, output: 'Failed,Not Reviewed,Not Reviewed,Passed,Passed,Passed' },
    read: (directory, report) => run('node', ['-e', INSPECJS, join(directory, 'node_modules/inspecjs'), report]),
  },
  {
    registry: 'PyPI',
    name: 'compliance-trestle',
    version: '5.2.0',
    format: 'oscal',
    compliant: { code: 0, output: expect.not.stringMatching(/Duplicate|failed/) },
    drifted: { code: 0, output: expect.not.stringMatching(/Duplicate|failed/) },
    read(directory, report) {
      const cwd = temporaryDirectory()
      const trestle = join(directory, 'bin/trestle')
      run(trestle, ['init'], { cwd })
      // Inside of its own directory it imports nothing.
      const outside = join(temporaryDirectory(), 'report.json')
      copyFileSync(report, outside)
      const answer = run(trestle, ['import', '-f', outside, '-o', 'scan'], { cwd })
      return existsSync(join(cwd, 'assessment-results/scan'))
        ? answer
        : { ...answer, code: answer.code === 0 ? 99 : answer.code }
    },
  },
  {
    registry: 'PyPI',
    name: 'junitparser',
    version: '5.0.3',
    format: 'junit',
    compliant: { code: 0, output: '3 Skipped\nsite.yaml:3 site.yaml:4' },
    drifted: { code: 0, output: '6 Failure Skipped Skipped\nsite.yaml:3 site.yaml:4' },
    read: (directory, report) => python(directory, JUNITPARSER, report),
  },
  {
    registry: 'PyPI',
    name: 'junit2html',
    version: '31.1.4',
    format: 'junit',
    compliant: fine,
    drifted: fine,
    read: (directory, report) => run(join(directory, 'bin/junit2html'), [report, `${report}.html`]),
  },
  {
    registry: 'npm',
    name: 'test-results-parser',
    version: '0.4.6',
    format: 'junit',
    compliant: { code: 0, output: 'PASS 0 0 PASS PASS SKIP' },
    drifted: { code: 0, output: 'FAIL 1 0 FAIL PASS PASS PASS SKIP SKIP' },
    read: (directory, report) =>
      run('node', ['-e', TEST_RESULTS, join(directory, 'node_modules/test-results-parser'), report]),
  },
  {
    registry: 'Debian',
    name: 'prometheus-node-exporter',
    version: '',
    format: 'prometheus',
    compliant: { code: 0, output: '0\n0' },
    drifted: { code: 0, output: '2\n0' },
    read(_directory, report) {
      const files = temporaryDirectory()
      copyFileSync(report, join(files, 'site.prom'))
      return run('bash', ['-c', NODE_EXPORTER, 'bash', files])
    },
  },
  {
    registry: 'PyPI',
    name: 'prometheus-client',
    version: '0.26.0',
    format: 'prometheus',
    compliant: { code: 0, output: '0' },
    drifted: { code: 0, output: '2' },
    read: (directory, report) => python(directory, PROMETHEUS, report),
  },
  {
    registry: 'Debian',
    name: 'promtool',
    version: '',
    format: 'prometheus',
    compliant: fine,
    drifted: fine,
    read: (_directory, report) => run('sh', ['-c', 'promtool check metrics < "$1"', 'sh', report]),
  },
  {
    registry: 'Debian',
    name: 'prove',
    version: '',
    format: 'tap',
    compliant: { code: 0, output: expect.stringContaining('Result: PASS') },
    drifted: {
      code: 1,
      output: expect.stringMatching(/^(?![^]*Parse errors)[^]*Failed test: {2}1\n[^]*Result: FAIL$/),
    },
    read: (_directory, report) => run('prove', ['-e', 'cat', report]),
  },
  {
    registry: 'Maven Central',
    name: 'edu.hm.hafner:analysis-model',
    version: '12.9.1',
    format: 'sarif-github',
    compliant: { code: 0, output: expect.stringMatching(/(?:^|\n)0$/) },
    drifted: { code: 0, output: expect.stringMatching(/(?:^|\n)1$/) },
    read: countWarnings('sarif'),
  },
  {
    registry: 'Maven Central',
    name: 'edu.hm.hafner:analysis-model',
    version: '12.9.1',
    format: 'gitlab',
    compliant: { code: 0, output: expect.stringMatching(/(?:^|\n)0$/) },
    drifted: { code: 0, output: expect.stringMatching(/(?:^|\n)1$/) },
    read: countWarnings('code-climate'),
  },
]

const POLICY = `policy: { id: site, controls: [{ id: c1, title: Lock, severity: high, resources: ["file#/etc/lock"] }, { id: m1, title: Look, manual: true }] }
ccm: { resources: [ { file: [
  { /etc/lock: { ensure: absent } },
  { /etc/other: { ensure: absent } } ] } ] }
`

const ENDINGS: Readonly<Record<string, string>> = {
  junit: 'xml',
  tap: 'tap',
  prometheus: 'prom',
  sarif: 'sarif',
  'sarif-github': 'sarif',
}

/** The reports of a compliant host, and of two hosts of which the first drifts. */
async function writeReports(format: string): Promise<Readonly<Record<'compliant' | 'drifted', string>>> {
  const root = temporaryDirectory()
  for (const host of ['web01', 'web02']) mkdirSync(join(root, host, 'etc'), { recursive: true })
  writeFileSync(join(root, 'web01/etc/lock'), '')
  writeFileSync(join(root, 'site.yaml'), POLICY)
  const before = process.cwd()
  const write = async (kind: string, hosts: readonly string[]): Promise<readonly [number, string]> => {
    const path = join(root, `${kind}.${ENDINGS[format] ?? 'json'}`)
    const targets = hosts.flatMap((host) => ['--target', `root:${join(root, host)}`])
    const { code } = await runInProcess('scan', 'site.yaml', '--quiet', ...targets, '--report', `${format}=${path}`)
    return [code, path]
  }
  process.chdir(root)
  try {
    const [good, compliant] = await write('compliant', ['web02'])
    const [bad, drifted] = await write('drifted', ['web01', 'web02'])
    expect([good, bad]).toEqual([0, 2])
    return { compliant, drifted }
  } finally {
    process.chdir(before)
  }
}

// What is installed first is read while the rest is on its way.
for (const { registry, name, version } of CONSUMERS) void install(registry, name, version)

test.for(CONSUMERS.map((each) => [`${each.name} ${each.version}`.trim(), each.format, each] as const))(
  '%s reads %s',
  async ([, format, { registry, name, version, read, compliant, drifted }], { skip }) => {
    const installed = await install(registry, name, version)
    if ('missing' in installed) {
      console.log(installed.missing)
      return skip(NO_REGISTRY)
    }
    const reports = await writeReports(format)
    expect(read(installed.directory, reports.compliant), 'compliant').toMatchObject(compliant)
    expect(read(installed.directory, reports.drifted), 'drifted').toMatchObject(drifted)
    return undefined
  },
)
