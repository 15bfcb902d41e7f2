import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutRollUps } from '../../../src/model/roll-up.ts'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { PLAIN, type RenderOptions } from '../../../src/report/format.ts'
import { plan } from '../../../src/report/formats/plan/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'

const VERBOSE: RenderOptions = { ...PLAIN, verbose: true }

async function render(run: Run, options: RenderOptions = PLAIN): Promise<string> {
  return await plan.render(run, options)
}

function rootOf(...resources: readonly ResourceResult[]): Run {
  return runOf({ policies: [policyResult({ id: 'root', resources })] })
}

const owner = { type: 'file.owner', id: 'file.owner#owner', name: 'owner' }

// Converge prints `root/file.owner.owner:` and then these very lines.
test('a resource with changes, as Converge prints it', async () => {
  const run = rootOf(
    resourceResult({
      ...owner,
      verdict: 'drifted',
      change: 'will',
      drift: [
        { property: 'UID', desired: 0, observed: 501 },
        { property: 'GID', desired: '0', observed: '501' },
      ],
    }),
  )
  expect(await render(run)).toBe(`\
root/file.owner#owner:
 Messages:
 Has Changes: yes
 Changes:
  GID: "501" => "0"
  UID: "501" => "0"

Summary: 0 errors, 1 changes
`)
})

test('a resource without changes is listed on request, as Converge prints it', async () => {
  const run = rootOf(resourceResult(owner))
  expect(await render(run, VERBOSE)).toBe(`\
root/file.owner#owner:
 Messages:
 Has Changes: no
 Changes: No changes

Summary: 0 errors, 0 changes
`)
  expect(await render(run)).toBe('Summary: 0 errors, 0 changes\n')
})

test('a whole audit', async () => {
  expect(await render(auditRun)).toBe(String.raw`ssh.hardening/file#/etc/ssh/sshd_config:
 Messages:
  unknown: group (not-observable): the group database did not answer
  plan:    Would have created the file
 Has Changes: yes
 Changes:
  content: "sha256 fcde2b2edba5, 62 bytes" => "sha256 2c26b46b68ff, 61 bytes"
    --- found
    +++ want
    @@ -1,3 +1,3 @@
     Port 22
    -PermitRootLogin yes
    +PermitRootLogin no
     UsePAM\tyes
  mode: "0644" => "0600"
    note: others can read it
  owner: "nobody" => "root"

ssh.hardening/file#/etc/ssh/keys/host.key:
 Messages:
  plan:   Would have created an empty file with requested attributes
  change: may, the directory /etc/ssh/keys is created by file#/etc/ssh/keys
 Has Changes: yes
 Changes:
  ensure: "absent" => "present"

ssh.hardening/file#/etc/app:
 Error: cannot change: there is no user "deploy"
 Messages:
 Has Changes: yes
 Changes:
  banner: "Authorised users only. All activity is logged and reviewed." => ""
  content conf.d/10-base.conf: "two" => "one"
  count: "nothing" => "3"
  enable: "false" => "true"
  owner: "root" => "deploy"
  password: "(secret, digest 77aa01cd23ef)" => "(secret, digest 8a1f4e0b9c7d)"

ssh.hardening/file#/etc/shadow:
 Error: cannot read /etc/shadow: permission denied
 Error: run as root to see it
 Messages:
 Has Changes: no
 Changes: No changes

ssh.hardening/file#/etc/shadow-:
 Error: blocked: requires file#/etc/shadow, which is error
 Messages:
 Has Changes: no
 Changes: No changes

ssh.hardening/file#/etc/motd:
 Messages:
  accepted: mode: want 0644, found 0664
  reason:   until 2026-12-31 by ops: banner is under legal review
 Has Changes: no
 Changes: No changes

ssh.hardening/file#/etc/selinux/config:
 Messages:
  reason: control if: facts.os.family == "redhat" is false
 Has Changes: no
 Changes: No changes

ssh.hardening/service#sshd:
 Messages:
  plan: Would have restarted via subscribe
 Has Changes: no
 Changes: No changes

Errors:
 * ssh.hardening/file#/etc/app: cannot change: there is no user "deploy"
 * ssh.hardening/file#/etc/shadow: cannot read /etc/shadow: permission denied; run as root to see it

Failed due to failing dependency:
 * ssh.hardening/file#/etc/shadow-: blocked: requires file#/etc/shadow, which is error

policies/ssh.yaml:80:7 warning: register_when_stable has no effect here
  80 |       register_when_stable: true
     |       ^
note: facts of the network were not gathered

Summary: 3 errors, 3 changes
`)
})

test('after a fix the values are those that were reached', async () => {
  expect(await render(fixRun)).toBe(`\
base/file#/etc/motd:
 Messages:
  done: Updated attributes
 Has Changes: yes
 Changes:
  mode: "0666" => "0644"
  owner: "nobody" => "root"

base/file#/srv/data:
 Error: chmod /srv/data: operation not permitted
 Messages:
  done:    Created directory
  remains: mode: want 0750, found 0777
 Has Changes: yes
 Changes:
  owner: "root" => "www"

Errors:
 * base/file#/srv/data: chmod /srv/data: operation not permitted

Summary: 1 errors, 2 changes
`)
})

test('a fix that changed nothing has no changes, and one that was not looked at says so', async () => {
  const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]
  const failed = { verdict: 'fix-failed', drift, errors: ['refused'], message: 'refused' } as const
  const run = rootOf(
    resourceResult({ ...failed, name: '/a', change: 'cannot', remaining: drift }),
    resourceResult({ ...failed, name: '/b', change: 'will', remaining: [] }),
  )
  expect(await render(run)).toBe(`\
root/file#/a:
 Error: refused
 Messages:
  change:  cannot
  remains: mode: want 0600, found 0644
 Has Changes: no
 Changes: No changes

root/file#/b:
 Error: refused
 Messages:
  not verified: mode: want 0600, found 0644
 Has Changes: no
 Changes: No changes

Errors:
 * root/file#/a: refused
 * root/file#/b: refused

Summary: 2 errors, 0 changes
`)
})

test('values of several lines stand in blocks, quotes and backslashes are escaped', async () => {
  const run = rootOf(
    resourceResult({
      verdict: 'drifted',
      drift: [
        { property: 'a', desired: 'one\ntwo "2"', observed: '' },
        { property: 'b', desired: String.raw`C:\new "x"`, observed: 'ends\n' },
      ],
    }),
  )
  expect((await render(run)).split('\n').slice(3, 11)).toEqual([
    ' Changes:',
    '  a:',
    '    before:',
    '      ""',
    '    after:',
    '      one',
    '      two "2"',
    String.raw`  b: "ends\n" => "C:\\new \"x\""`,
  ])
})

test('child resources are named with their parents, and apply resources are not counted', async () => {
  const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]
  const run = rootOf(
    resourceResult({
      id: 'apply#sub.yaml',
      type: 'apply',
      verdict: 'drifted',
      drift: [{ property: 'resources', desired: '1 compliant', observed: '0 compliant' }],
    }),
    resourceResult({ path: ['apply#sub.yaml'], verdict: 'drifted', drift }),
    resourceResult({ id: 'apply#off.yaml', type: 'apply', verdict: 'not-applicable', message: 'not here' }),
  )
  const report = await render(run)
  expect(report.match(/^\S.*:$/gm)).toEqual(['root/apply#sub.yaml/file#/etc/motd:', 'root/apply#off.yaml:'])
  expect(report).toContain('\nSummary: 0 errors, 1 changes\n')
})

test('a failure without a message is an error', async () => {
  const run = rootOf(resourceResult({ verdict: 'blocked' }), resourceResult({ verdict: 'error', name: '/a' }))
  const report = await render(run)
  expect(report).toContain(' Error: blocked\n')
  expect(report).toContain(' Error: error\n')
  expect(report).toContain('\nSummary: 2 errors, 0 changes\n')
})

test.each<readonly [string, Run, string]>([
  ['that was not performed', invalidRun, 'Summary: 3 errors, 0 changes\n'],
  [
    'that evaluated nothing',
    emptyRun,
    'nothing was evaluated: 1 resource is not applicable\nSummary: 0 errors, 0 changes\n',
  ],
  [
    'that was interrupted',
    interruptedRun,
    'interrupted: some resources are missing from this report\nSummary: 0 errors, 0 changes\n',
  ],
])('a scan %s does not look like success', async (_case, run, ending) => {
  expect((await render(run)).endsWith(ending)).toBe(true)
  expect(await plan.summarize?.(run, PLAIN)).toBe(ending)
})

test('colour is paint alone: without it every word is still there', async () => {
  const paint: RenderOptions['paint'] = (tone, text) => `<${tone}>${text}</>`
  for (const [, run] of SAMPLE_RUNS) {
    const painted = await render(run, { ...PLAIN, paint })
    expect(painted).toMatch(/<good>|<bad>/)
    expect(painted.replace(/<(?:good|bad|warn|dim|strong|\/)>/g, '')).toBe(await render(run))
  }
})

test('errors are red and changes are yellow', async () => {
  const paint: RenderOptions['paint'] = (tone, text) => `<${tone}>${text}</>`
  const painted = await render(auditRun, { ...PLAIN, paint })
  expect(painted).toContain('<bad>ssh.hardening/file#/etc/app</>:\n <bad>Error</>: ')
  expect(painted).toContain('<warn>ssh.hardening/file#/etc/ssh/keys/host.key</>:\n')
  expect(painted).toContain('ensure</>: "<bad>absent</>" => "<good>present</>"\n')
  expect(painted).toContain('<bad>Summary</>: 3 errors')
})

test('nothing invisible but line feeds reaches the terminal, and no CI command', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, fc.boolean(), async (run, verbose) => {
      const report = await render(run, { ...PLAIN, verbose })
      expect(report.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      expect(report).not.toMatch(/^\s*::\w/m)
      expect(report).not.toMatch(/##(?:vso)?\[/i)
    }),
  )
})

test('the summary counts the entries of the report, and failures are never left out', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const report = await render(run, VERBOSE)
      const [, errors, changes] =
        /^Summary: (\d+) errors, (\d+) changes\n$/.exec(report.slice(report.lastIndexOf('Summary: '))) ?? []
      const results = run.policies.flatMap(({ resources }) => withoutRollUps(resources))
      const failed = results.filter(
        ({ verdict, change }) =>
          ['error', 'fix-failed', 'blocked'].includes(verdict) || (verdict === 'drifted' && change === 'cannot'),
      )
      const invalid = (run.problems ?? []).filter(({ severity }) => severity === 'error')
      expect(Number(errors)).toBe(failed.length + invalid.length)
      expect(report.match(/^ Has Changes: yes$/gm) ?? []).toHaveLength(Number(changes))
      expect(report.match(/^ Has Changes: (?:yes|no)$/gm) ?? []).toHaveLength(results.length)
    }),
  )
})

test('ten thousand compliant resources take one line', async () => {
  const resources = Array.from({ length: 10_000 }, (_, index) => resourceResult({ name: `/srv/${index}` }))
  expect(await render(rootOf(...resources))).toBe('Summary: 0 errors, 0 changes\n')
})
