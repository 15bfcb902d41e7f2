import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

// Installing packages takes the longest; the rest is for machines that are busy with other things.
const TIMEOUT_MS = 300_000

const EXAMPLES = '/usr/local/lib/node_modules/driftgate/policies/examples'

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable)(`the web server that ships (${unavailable ?? 'on a Debian host'})`, () => {
  test(
    'is installed, configured and started, answers, and then needs nothing more',
    async () => {
      const host = await bootForTest(rootFilesystem)

      const before = await scan(host)
      expect(before.code).toBe(2)
      expect(verdictOf(before.run, 'package#nginx')).toBe('drifted')
      const service = find(before.run, 'service#nginx')
      expect([service.verdict, service.change]).toEqual(['drifted', 'may'])
      expect(await host.run(['test', '-e', '/etc/nginx'])).toMatchObject({ code: 1 })

      const fix = await fixed(host)
      for (const id of ['package#nginx', 'service#nginx', 'exec#certificate', 'exec#configuration-is-sound'])
        expect([id, verdictOf(fix, id)]).toEqual([id, 'fixed'])

      expect(await host.shell('systemctl is-active nginx; systemctl is-enabled nginx')).toBe('active\nenabled\n')
      expect(await fetchFrom(host, 'https://127.0.0.1/')).toContain('It is served as the policy says')
      expect(await fetchFrom(host, 'https://127.0.0.1/host.txt')).toBe('debian-host serves site-1.0.0 on debian.\n')

      const again = await scan(host)
      expect(idsOf(again.run, 'drifted')).toEqual([])
      expect(again.code).toBe(0)
      const state = await host.shell(STATE)
      expect(idsOf(await fixed(host), 'fixed')).toEqual([])
      expect(await host.shell(STATE)).toBe(state)
    },
    TIMEOUT_MS,
  )

  test(
    'is repaired without a restart for content, with one for configuration, and with none for a broken one',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await fixed(host)
      const first = await mainProcess(host)

      await host.shell('echo hello > /var/www/example/host.txt; chmod 0644 /etc/nginx/tls/site.key')
      expect(idsOf(await fixed(host), 'fixed')).toEqual([
        'file#/etc/nginx/tls/site.key',
        'file#/var/www/example/host.txt',
      ])
      expect(await mainProcess(host)).toBe(first)

      await host.shell(`sed -i 's/TLSv1.2/TLSv1 TLSv1.2/' /etc/nginx/conf.d/site.conf; systemctl stop nginx`)
      const stopped = await scan(host)
      expect(idsOf(stopped.run, 'drifted')).toEqual(['scaffold#/etc/nginx/conf.d', 'service#nginx'])
      await fixed(host)
      const second = await mainProcess(host)
      expect(second).not.toBe(first)

      const broken = await scan(host, ['--fix', '--set', 'tls_port=none'])
      expect(broken.code).toBe(4)
      expect(idsOf(broken.run, 'fix-failed')).toEqual(['exec#configuration-is-sound'])
      expect(await mainProcess(host)).toBe(second)
    },
    TIMEOUT_MS,
  )
})

interface Scanned {
  readonly code: number | null
  readonly run: Run
}

/** Scans with the release of the site served beside it. */
async function scan(host: DebianHost, args: readonly string[] = []): Promise<Scanned> {
  const serve = ['node', `${EXAMPLES}/serve.mjs`, `${EXAMPLES}/web-server/site-1.0.0`, '--listen', '127.0.0.1:0']
  const policy = `${EXAMPLES}/web-server/policy.yaml`
  const command = ['driftgate', 'scan', policy, '--set', 'url={}', '--report', 'json', ...args]
  const { code, stdout, stderr } = await host.run([...serve, '--', ...command])
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  return { code, run: JSON.parse(stdout) as Run }
}

/** A fix that leaves nothing to do. */
async function fixed(host: DebianHost): Promise<Run> {
  const { code, run } = await scan(host, ['--fix'])
  const settled = ['fixed', 'compliant', 'not-applicable']
  const others = resources(run).filter(({ verdict }) => !settled.includes(verdict))
  expect(others.map(({ id, verdict, message, errors, drift }) => [id, verdict, message, errors, drift])).toEqual([])
  expect(code).toBe(0)
  return run
}

/** The served page; its certificate is not trusted. */
function fetchFrom(host: DebianHost, url: string): Promise<string> {
  const program = `process.stdout.write(await (await fetch('${url}')).text())`
  return host.shell(`NODE_TLS_REJECT_UNAUTHORIZED=0 node --no-warnings --input-type=module -e "${program}"`)
}

async function mainProcess(host: DebianHost): Promise<string> {
  return host.shell('systemctl show --property=MainPID,ActiveEnterTimestampMonotonic nginx')
}

/** Everything the policy manages, and whether it was touched. */
const STATE = `
find /etc/nginx /var/www -printf '%p %i %C@ %M %u %g\\n' | sort
stat -c '%n %a %U %G' /var/log/nginx
systemctl show --property=MainPID,ActiveState,UnitFileState nginx`

function resources(run: Run): readonly ResourceResult[] {
  return run.policies.flatMap((policy) => policy.resources)
}

function find(run: Run, id: string): ResourceResult {
  const found = resources(run).find((result) => result.id === id)
  if (found === undefined) throw new Error(`${id} is not in the report`)
  return found
}

function verdictOf(run: Run, id: string): string {
  return find(run, id).verdict
}

function idsOf(run: Run, wanted: string): readonly string[] {
  return resources(run)
    .filter(({ verdict }) => verdict === wanted)
    .map(({ id }) => id)
    .toSorted()
}
