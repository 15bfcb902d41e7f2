// A policy of others may ask for more than a machine can give: what it does is ended at a limit of time and memory.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { driftgate, startDriftgate, temporaryDirectory } from '../support/driftgate.ts'

/** Every one of these resources stays within the budget of its templates, about a million steps. */
function slowPolicy(resources: number): string {
  const content = '{{ count(1..900, {count(1..1000, {# > 5}) > 0}) }}'
  const files = Array.from({ length: resources }, (_, index) => ({
    file: { name: `/srv/${index}`, ensure: 'present', owner: 'root', group: 'root', mode: '0644', content },
  }))
  return JSON.stringify({ ccm: { resources: files } })
}

/** As many values as may stand in one file, which take some 100 MiB as objects. */
const LARGE_POLICY = `data:
  list:
${Array.from({ length: 80_000 }, (_, index) => `    - {a: ${index}, b: x${index}}\n`).join('')}
ccm: {resources: [{file: {name: /srv/nowhere, ensure: absent}}]}
`

function directoryWith(policy: string): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.yaml'), policy)
  return cwd
}

describe('an untrusted policy', () => {
  test('is ended when it needs more memory than it may have', async () => {
    const cwd = directoryWith(LARGE_POLICY)
    const limit = ['--untrusted-memory', '50']
    expect(await driftgate(['scan', 'policy.yaml', '--untrusted', ...limit], { cwd })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'needed more than 50 MiB of memory and were stopped; raise the limit with --untrusted-memory MIB',
      ),
    })
    expect(await driftgate(['scan', 'policy.yaml', '--untrusted'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  test('is ended when it takes longer than it may, and what was done until then is reported', async () => {
    const cwd = directoryWith(slowPolicy(2000))
    const limit = ['--untrusted-timeout', '2s']
    const outcome = await driftgate(['scan', 'policy.yaml', '--untrusted', ...limit, '--out'], { cwd })
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'took longer than 2 seconds and were stopped; raise the limit with --untrusted-timeout DURATION',
      ),
    })
    const report = join(cwd, 'reports/drift.json')
    // A machine that is so slow that not even the start was done has no report.
    if (existsSync(report))
      expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ run: { interrupted: true } })
  })

  test('may take its time where the operator wrote it', async () => {
    const limits = ['--untrusted-timeout', '1ms', '--untrusted-memory', '10']
    const cwd = directoryWith('ccm: {resources: [{file: {name: /srv/nowhere, ensure: absent}}]}\n')
    expect(await driftgate(['scan', 'policy.yaml', ...limits], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends with its reports at %s, and at once at the second one', async (signal, code) => {
    const cwd = directoryWith(slowPolicy(2000))
    const args = ['scan', 'policy.yaml', '--untrusted', '--report', 'ndjson']
    const first = startDriftgate(args, { cwd })
    await first.said('"resource"')
    first.child.kill(signal)
    const { code: ended, stdout } = await first.outcome
    expect({ code: ended, last: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') }).toMatchObject({
      code,
      last: { event: 'end', run: { interrupted: true } },
    })
    const second = startDriftgate(args, { cwd })
    await second.said('"resource"')
    second.child.kill(signal)
    second.child.kill(signal)
    // Its output ends with all that could write to it.
    expect(await second.outcome).toMatchObject({ code })
  })

  test.each([
    ['validate'],
    ['data'],
    ['graph'],
    ['render'],
    ['explain', 'file#hosts'],
    ['eval', 'EXPRESSION', '--policy'],
  ])('%s is ended past its time', async (command, ...args) => {
    const cwd = directoryWith('ccm: {resources: []}\n')
    const words = command === 'eval' ? [...args, 'policy.yaml'] : ['policy.yaml', ...args]
    const limit = ['--untrusted', '--untrusted-timeout', '1ms']
    const { code, stderr } = await driftgate([command ?? '', ...words, ...limit], { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain('raise the limit with --untrusted-timeout DURATION')
  })
})
