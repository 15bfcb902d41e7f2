import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

const POLICY = `policy:
  id: web
  controls: [{ id: web-01, severity: low, resources: ['file#/nowhere/b'] }]
data:
  # @sensitive
  password: hunter22
ccm:
  resources:
    - file: [{ /nowhere/a: { ensure: absent } }, { /nowhere/b: { ensure: absent, require: ['file#/nowhere/a'] } }]
    - file: { name: '/nowhere/{{ Data.password }}', ensure: absent }
    - apply: [{ sub/child.yaml: {} }, { gone.yaml: { control: { if: Facts.mail == true } } }]
`
const CHILD = 'ccm: { resources: [{ file: { name: /nowhere/c, ensure: absent } }] }\n'

function withPolicies(): string {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'sub'))
  writeFileSync(join(cwd, 'web.yaml'), POLICY)
  writeFileSync(join(cwd, 'sub/child.yaml'), CHILD)
  return cwd
}

test('graph draws a policy with its child manifests, without secrets, and compares nothing', async () => {
  const cwd = withPolicies()
  const { code, stdout, stderr } = await driftgate(['graph', 'web.yaml', '--fact', 'mail='], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`\
flowchart LR
  classDef unread stroke-dasharray:4
  subgraph p0["policy web<br/>web.yaml"]
    r1["file#35;/nowhere/a"]
    r2["file#35;/nowhere/b"]
    r3["file#35;/nowhere/#40;secret#41;"]
    r4["apply#35;sub/child.yaml"]
    r7["apply#35;gone.yaml<br/>not applicable#58; control.if is false#58; Facts.mail #61;#61; true"]:::unread
    subgraph p5["manifest sub/child.yaml"]
      r6["file#35;/nowhere/c"]
    end
  end
  r2 -->|requires| r1
  r4 -->|applies| p5
`)
})

test('graph writes DOT, and controls on request', async () => {
  const cwd = withPolicies()
  const plain = await driftgate(['graph', 'web.yaml', '--format', 'dot'], { cwd })
  expect(plain.stdout).toMatch(/^digraph policy \{\n/)
  expect(plain.stdout).toContain('  r2 -> r1 [label="requires"]\n')
  expect(plain.stdout).not.toContain('web-01')
  const { stdout } = await driftgate(['graph', 'web.yaml', '--format=dot', '--controls'], { cwd })
  expect(stdout).toContain('[label="control web-01 (low)", shape=hexagon]')
})

test('graph tells what is wrong with a policy and draws nothing', async () => {
  const cwd = withPolicies()
  writeFileSync(join(cwd, 'sub/child.yaml'), 'ccm: { resources: [{ file: { name: /nowhere/c, ensure: gone } }] }\n')
  const { code, stdout, stderr } = await driftgate(['graph', 'web.yaml'], { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('sub/child.yaml:1:')
})

test('graph draws one policy in a language it knows', async () => {
  const cwd = withPolicies()
  expect(await driftgate(['graph', 'web.yaml', '--format', 'svg'], { cwd })).toMatchObject({ code: 1, stdout: '' })
  const several = await driftgate(['graph', 'web.yaml', 'sub/child.yaml'], { cwd })
  expect(several).toMatchObject({ code: 1, stdout: '' })
  expect((await driftgate(['graph', '.'], { cwd })).stderr).toBe('')
})
