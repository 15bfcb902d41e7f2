import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ccmDifferences } from '../../../src/engine/inspect/ccm-differences.ts'
import { loadDocuments } from '../../../src/policy/load.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function differencesIn(text: string): Promise<readonly string[]> {
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(file, text)
  const loaded = await loadDocuments([file], { environ: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  const problems = loaded.value.flatMap((document) => ccmDifferences(document, resourceTypes))
  return problems.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`)
}

// What the real program does with each was observed; reference: its schema and the numbers Go's YAML reader makes.
test('everything that CCM does not know or reads differently is named at its place', async () => {
  const policy = `policy:
  controls: [{ id: a, resources: [file#/a] }]
x-note: free
ccm:
  resources:
    - file:
        - defaults: { ensure: present, owner: root, group: root, mode: 0644 }
        - /a:
        - /b: { if_absent: drift, mode: { at_most: '0640' } }
        - /c: { mode: '644', content: 'echo $\${HOME}' }
        - /d: { mode: '1777' }
        - /e: { mode: '0o644' }
        - /f: { mode: '0600' }
        - /dir: { ensure: directory, mode: '755' }
    - package:
        - x: { ensure: 5.10 }
        - y: { ensure: 5.9 }
    - archive:
        - /g.tar: { ensure: absent, url: 'https://localhost/g.tar', owner: root, group: root, max_size: 1MiB }
    - exec:
        - 'true': { creates: '{{ Resources["file#/f"].path }}' }
`
  expect(await differencesIn(policy)).toEqual([
    '7:72 CCM takes mode 0644 for a number and reads it as "420": quote it',
    '8:11 CCM forgets the defaults of /a, which has no body: write {}',
    '9:17 CCM ignores if_absent: it has no such property',
    '9:41 CCM takes one value for mode, not a map of conditions',
    '10:23 CCM never finds a file with mode "644" stable: write "0644"',
    "10:39 CCM has no '$${': it evaluates the expression in the braces",
    '11:23 CCM stops at mode "1777": it does not support setuid, setgid and sticky',
    '12:23 CCM refuses mode "0o644": write four digits',
    '16:24 CCM takes ensure 5.10 for a number and reads it as "5.1": quote it',
    '19:95 CCM ignores max_size: it has no such property',
    '21:11 CCM has no Resources: it cannot read values of other resources',
  ])
})

test('a manifest that both read the same way has no difference, and secrets are not quoted', async () => {
  expect(
    await differencesIn(`ccm:
  resources:
    - file:
        - /a: { ensure: present, owner: root, group: root, mode: '0644', content: 'a {{ 1 + 1 }} \${2}' }
        - /b: { ensure: present, owner: root, group: root, mode: '0644', content: 0777, sensitive: true }
`),
  ).toEqual([])
})
