import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Problem } from '../../../src/model/problem.ts'
import { hintsOf } from '../../../src/engine/inspect/soundness.ts'
import { loadDocuments } from '../../../src/policy/load.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function hintsIn(text: string): Promise<readonly Problem[]> {
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(file, text)
  const loaded = await loadDocuments([file], { environ: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  return loaded.value.flatMap((document) => hintsOf(document, resourceTypes))
}

test('a command that drifts in every audit is pointed at, wherever its guards could stand', async () => {
  const hints = await hintsIn(`data:
  # @sensitive
  token: s3cret-t0ken
ccm:
  resources:
    - exec:
        - defaults: {timeout: 1m}
        - echo 1: {}
        - echo 2: {creates: /a}
        - echo 3: {command: echo s3cret-t0ken}
        - echo 4: {command: echo hidden, sensitive: true}
        - echo 5: {refresh_only: true}
    - exec: {name: echo 6, environment: [A=1]}
    - exec:
        - defaults: {unless: "true"}
        - echo 7: {}
    - file: {name: /nowhere, ensure: absent}
`)
  expect(hints.map(({ severity, position }) => `${severity} ${position?.line}:${position?.column}`)).toEqual([
    'warning 8:11',
    'warning 10:11',
    'warning 11:11',
    'warning 13:20',
  ])
  expect(hints.map(({ sourceLine }) => sourceLine?.trim())).toEqual([
    '- echo 1: {}',
    undefined,
    undefined,
    '- exec: {name: echo 6, environment: [A=1]}',
  ])
})

test('a baseline that would make up a file is pointed at, a policy that builds a machine is not', async () => {
  const controls = `policy:
  controls:
    - {id: a, resources: [file#/a]}
`
  const resources = `ccm:
  resources:
    - file:
        - defaults: {ensure: present, owner: root, group: root, mode: "0644"}
        - /a: {}
        - /b: {content: ""}
        - /c: {source: c}
        - /d: {if_absent: create}
        - /e: {if_absent: drift}
        - /f: {ensure: absent}
        - /g: {ensure: directory}
    - file:
        - defaults: {ensure: present, if_absent: compliant}
        - /h: {owner: root}
`
  const hints = await hintsIn(controls + resources)
  expect(hints.map(({ position, message }) => `${position?.line} ${message}`)).toEqual([
    expect.stringMatching(/^8 .*set 'if_absent' to drift/),
  ])
  expect(await hintsIn(resources)).toEqual([])
})
