import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadPolicy, type ResourceResult, scan } from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'

async function evaluate(...resources: readonly string[]): Promise<readonly ResourceResult[]> {
  const file = `${temporaryDirectory()}/policy.yaml`
  writeFileSync(file, ['ccm:', '  resources:', '    - file:', ...resources.map((text) => `        ${text}`)].join('\n'))
  const loaded = await loadPolicy(file, { fact: ['role=web'] })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return (await scan(loaded.value)).policies.flatMap((policy) => policy.resources)
}

test('names, aliases and providers are expanded before references are resolved', async () => {
  const results = await evaluate(
    '- "/nowhere/{{ Facts.role }}": { ensure: absent, alias: "{{ Facts.role }}-root", provider: "{{ \'posix\' }}" }',
    '- /nowhere/other: { ensure: absent, require: [file#web-root, file#/nowhere/web] }',
  )
  expect(results.map(({ id, alias, provider, verdict }) => [id, alias, provider, verdict])).toEqual([
    ['file#/nowhere/web', 'web-root', 'posix', 'compliant'],
    ['file#/nowhere/other', undefined, 'posix', 'compliant'],
  ])
})

test.each(['alias', 'provider'])(
  'an %s that cannot be expanded fails its own resource, at its place',
  async (property) => {
    const [broken, sound] = await evaluate(
      `- /nowhere/x: { ensure: absent, ${property}: "{{ lookup('data.missing') }}" }`,
      '- /nowhere/y: { ensure: absent }',
    )
    expect(broken).toMatchObject({ verdict: 'error', reason: 'template' })
    expect(broken?.message).toMatch(new RegExp(`^${property}: .*policy\\.yaml:4:\\d+ .*data\\.missing`))
    expect(sound?.verdict).toBe('compliant')
  },
)

test('a provider that a template names and that does not exist is no provider', async () => {
  const [result] = await evaluate('- /nowhere/x: { ensure: absent, provider: "{{ \'posixx\' }}" }')
  expect(result).toMatchObject({ verdict: 'error', reason: 'no-provider' })
})
