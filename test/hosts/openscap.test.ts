import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { bootHost, type DebianHost, installDriftgate, prepareRootFilesystem } from './debian-host.ts'
import { PLANTED } from './openscap/planted.ts'
import { startPeer } from './peer.ts'

// Three scans with each of both programs and a fix, on machines that are busy with other things.
const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

type Compared = string | readonly string[] | { readonly resource: string; readonly property: string }
const { rules } = parse(readFileSync('scripts/openscap/rules.yaml', 'utf8')) as {
  readonly rules: Readonly<Record<string, Compared>>
}
const CONTENT = '/usr/share/xml/scap/ssg/content/ssg-debian11-ds.xml'
const PROFILE = 'xccdf_org.ssgproject.content_profile_compared'
const RESULT = /<rule-result idref="xccdf_org\.ssgproject\.content_rule_([^"]+)"[^>]*>.*?<result>(\w+)<\/result>/gs

/** What each of both words of a verdict corresponds to. */
const SAME: Readonly<Record<string, string>> = { pass: 'compliant', fail: 'drifted', notapplicable: 'not-applicable' }

describe.skipIf(unavailable)(
  `the verdicts of OpenSCAP on a Debian host (${unavailable ?? 'booted for the test'})`,
  () => {
    test(
      'are ours, but for the disagreements that the guide lists',
      async () => {
        const host = await preparedHost()
        const found = [...disagreements('fresh', await compare(host))]

        await host.run(['driftgate', 'scan', '@cis-debian-12', '--fix', '--quiet'])
        found.push(...disagreements('hardened', await compare(host)))

        for (const script of Object.values(PLANTED)) await host.shell(script)
        const broken = await compare(host)
        found.push(...disagreements('broken', broken))
        const missed = Object.keys(PLANTED).filter((rule) => broken.get(rule)?.ours !== 'drifted')
        expect(missed).toEqual([])
        expect(found.toSorted()).toEqual(listedInGuide().toSorted())
      },
      TIMEOUT_MS,
    )
  },
)

interface Verdicts {
  readonly theirs: string
  readonly ours: string
}

async function preparedHost(): Promise<DebianHost> {
  if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
  const host = await bootHost(rootFilesystem.path)
  onTestFinished(host.stop)
  const peer = await startPeer()
  onTestFinished(peer.stop)
  // Without a network that is up oscap gives up the whole scan.
  await peer.connect(host)
  await installDriftgate(host)
  await host.shell(`printf '127.0.0.1 localhost\\n127.0.1.1 debian-host\\n' >/etc/hosts
    useradd --create-home gina
    apt-get update -q && apt-get install -qq -y --no-install-recommends openscap-scanner ssg-debian >/dev/null 2>&1`)
  const dataStream = await host.shell(`cat ${CONTENT}`)
  const content = execFileSync(process.execPath, ['scripts/openscap/content.mjs'], {
    input: dataStream,
    maxBuffer: 64 * 1024 * 1024,
  })
  await host.write('/root/content.xml', content.toString())
  return host
}

/** What both say of every rule. */
async function compare(host: DebianHost): Promise<ReadonlyMap<string, Verdicts>> {
  const eval_ = ['oscap', 'xccdf', 'eval', '--profile', PROFILE, '--results', '/root/results.xml', '/root/content.xml']
  const { code, stderr } = await host.run(eval_)
  // 2 is a rule that failed.
  if (code !== 0 && code !== 2) throw new Error(`oscap ended with ${code}: ${stderr}`)
  const theirs = new Map(
    [...(await host.shell('cat /root/results.xml')).matchAll(RESULT)].map(([, id, word]) => [id, word]),
  )
  const { stdout } = await host.run(['driftgate', 'scan', '@cis-debian-12', '--report', 'json'])
  const { policies } = JSON.parse(stdout) as Run
  const resources = new Map(policies.flatMap((policy) => policy.resources.map((each) => [each.id, each])))
  return new Map(
    Object.entries(rules).map(([rule, compared]) => [
      rule,
      { theirs: theirs.get(rule) ?? 'missing', ours: verdictOf(compared, resources) },
    ]),
  )
}

const WORST_FIRST = ['error', 'drifted', 'compliant', 'not-applicable']

function verdictOf(compared: Compared, resources: ReadonlyMap<string, ResourceResult>): string {
  if (typeof compared === 'string') return resultOf(compared, resources).verdict
  if ('resource' in compared) {
    const { verdict, drift } = resultOf(compared.resource, resources)
    if (verdict !== 'drifted') return verdict
    return drift.some(({ property }) => property === compared.property || property === 'ensure')
      ? 'drifted'
      : 'compliant'
  }
  const verdicts = compared.map((each) => resultOf(each, resources).verdict as string)
  return WORST_FIRST.find((each) => verdicts.includes(each)) ?? 'missing'
}

function resultOf(id: string, resources: ReadonlyMap<string, ResourceResult>): ResourceResult {
  const result = resources.get(id)
  if (result === undefined) throw new Error(`the baseline has no ${id}`)
  return result
}

/** `HOST RULE THEIRS OURS` of every rule that both judge otherwise. */
function disagreements(state: string, verdicts: ReadonlyMap<string, Verdicts>): readonly string[] {
  return [...verdicts].flatMap(([rule, { theirs, ours }]) =>
    SAME[theirs] === ours ? [] : [`${state} ${rule} ${theirs} ${ours}`],
  )
}

/** The same of the tables of the guide: a row has rules, hosts, both verdicts, who is right, and why. */
function listedInGuide(): readonly string[] {
  const guide = readFileSync('docs/guide/openscap.md', 'utf8')
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => {
    const [, ids = '', states = '', theirs = '', ours = ''] = row.split('|').map((cell) => cell.trim())
    const named = [...ids.matchAll(/`([^`]+)`/g)].map(([, id = '']) => id)
    return named.flatMap((id) => states.split(', ').map((state) => `${state} ${id} ${theirs} ${ours}`))
  })
}
