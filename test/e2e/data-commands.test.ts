import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, DRIFTGATE, start, temporaryDirectory, UNPRIVILEGED } from '../support/driftgate.ts'
import { needsStrace } from '../support/programs.ts'
import { needsRoot } from '../support/temporary.ts'
import { withPolicy } from '../support/scenes/data-commands.ts'

test.skipIf(needsRoot)('fileExists that cannot tell is an error of its resource (needs root)', async () => {
  const cwd = temporaryDirectory(UNPRIVILEGED)
  mkdirSync(join(cwd, 'locked/inner'), { recursive: true })
  chmodSync(join(cwd, 'locked'), 0o700)
  writeFileSync(
    join(cwd, 'p.yaml'),
    `ccm:
  resources:
    - file: {name: /nowhere/a, ensure: absent, control: {if: "fileExists('${cwd}/locked/inner')"}}
    - file: {name: /nowhere/b, ensure: absent, control: {if: "fileExists('${cwd}/none')"}}
    - file: {name: /nowhere/c, ensure: absent, control: {if: "fileExists('${cwd}/p.yaml')"}}
`,
  )
  const { code, stdout } = await driftgate(['scan', 'p.yaml', '--report', 'json'], {
    cwd,
    ...(UNPRIVILEGED === undefined ? {} : { uid: UNPRIVILEGED }),
  })
  expect(code).toBe(3)
  const [a, b, c] = JSON.parse(stdout).policies[0].resources
  expect(a).toMatchObject({
    verdict: 'error',
    reason: 'template',
    message: expect.stringMatching(/:3:\d+ .*permission/i),
  })
  expect([b.verdict, c.verdict]).toEqual(['not-applicable', 'compliant'])
})

/** The paths a scan opens or asks for, as the kernel sees them. */
async function pathsTouched(content: string): Promise<string> {
  const cwd = withPolicy(
    `ccm: {resources: [{file: {name: /nowhere/a, ensure: present, owner: root, group: root, mode: "0644", content: "${content}"}}]}`,
  )
  const args = ['-f', '-qq', '-e', 'trace=file,network', '-o', 'trace', process.execPath, DRIFTGATE, 'scan', 'p.yaml']
  expect((await start('strace', args, { cwd }).outcome).code).toBe(2)
  return readFileSync(join(cwd, 'trace'), 'utf8')
}

const FACTS = /proc\/stat"|proc\/uptime|etc\/driftgate\/|etc\/choria|\/sys\/class|machine-id|proc\/swaps|proc\/mounts/

test.skipIf(needsStrace)('a policy without facts reads none, by the system calls it makes', async () => {
  expect(await pathsTouched('{{ 1 + 1 }} {{ Environ.HOME }}')).not.toMatch(
    /proc\/uptime|etc\/driftgate|etc\/choria|proc\/swaps/,
  )
  expect(await pathsTouched('{{ Facts.host.info.os }}')).toMatch(FACTS)
})
