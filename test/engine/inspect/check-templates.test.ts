import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkTemplates } from '../../../src/engine/inspect/check-templates.ts'
import { loadDocuments } from '../../../src/policy/load.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const TEXT = `data: {x: 1}
ccm:
  resources:
    - file:
        - defaults: {owner: "{{ facts.user }}", group: root, mode: "0644"}
        - /nowhere/a: {ensure: present}
        - /nowhere/b:
            ensure: present
            content: |
              {{ Data.x.y }} is only known when it runs
              {{ 1 + }} and \${ lokup('x') }
            control: {if: "upper(1, 2)", unless: Data.y}
    - file: {name: "/nowhere/{{ Dat.x }}", ensure: absent, require: ["file#/nowhere/a"]}
`

test('certain template errors are found without evaluation, each place once', async () => {
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(file, TEXT)
  const loaded = await loadDocuments([file], { environ: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  const problems = loaded.value.flatMap((document) => checkTemplates(document, resourceTypes))
  const at = (line: number, part: string): string => `${line}:${(TEXT.split('\n')[line - 1] ?? '').indexOf(part) + 1}`
  expect(problems.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`)).toEqual([
    expect.stringMatching(new RegExp(`^${at(5, 'facts')} .*unknown name facts, .*"Facts"`)),
    expect.stringMatching(/^11:\d+ .*unexpected token EOF/),
    expect.stringMatching(new RegExp(`^${at(11, 'lokup')} .*unknown name lokup, .*"lookup"`)),
    expect.stringMatching(new RegExp(`^12:\\d+ .*upper`)),
    `${at(12, 'y}')} no data key "y", did you mean "x"?`,
    expect.stringMatching(new RegExp(`^${at(13, 'Dat.x')} .*unknown name Dat.*"Data"`)),
  ])
})
