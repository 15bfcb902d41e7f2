// What is asked of a server tells it what the address is made of, so addresses hold nothing from files or the environment.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scan, type ScanOptions } from '../../../src/engine/local.ts'
import { loadPolicy } from '../../../src/policy/load.ts'
import type { ResourceResult } from '../../../src/model/run.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const TOKEN = 'planted-token'

/** A directory of policies, beside a file with a token. */
function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'token'), TOKEN)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

async function scanIn(directory: string, options: ScanOptions = {}): Promise<readonly ResourceResult[]> {
  const environ = { CI_TOKEN: TOKEN }
  const loaded = await loadPolicy(join(directory, 'policy.yaml'), { environ, set: ['host=127.0.0.1:1'] })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const run = await scan(loaded.value, options)
  return run.policies.flatMap(({ resources }) => resources)
}

const archive = (url: string): string =>
  `- archive: {name: /srv/nowhere/x.tar.gz, ensure: present, url: '${url}', creates: /srv/nowhere/x, extract_parent: /srv/nowhere, owner: root, group: root}`

const scaffold = (source: string): string =>
  `- scaffold: {name: /srv/nowhere, ensure: present, source: '${source}', engine: jet}`

const policyOf = (resource: string): string => `ccm:\n  resources:\n    ${resource}\n`

const REFUSED = { verdict: 'error', reason: 'invalid', message: expect.stringContaining('--url-values') }

describe('an address', () => {
  test.each([
    ['a variable', archive('http://{{ Data.host }}/{{ Environ.CI_TOKEN }}/x.tar.gz')],
    ['a variable by lookup', archive('http://{{ Data.host }}/{{ lookup("environ.CI_TOKEN") }}/x.tar.gz')],
    ['whether a variable is long', archive('http://{{ len(Environ.CI_TOKEN) > 3 ? "a" : "b" }}.example/x.tar.gz')],
    ['a file', archive('http://{{ Data.host }}/{{ readFile("token") }}/x.tar.gz')],
    ['a variable in a scaffold', scaffold('http://{{ Data.host }}/x.tar.gz?t={{ Environ.CI_TOKEN }}')],
    ['a file in a scaffold', scaffold('http://{{ Data.host }}/x.tar.gz?t={{ file("token") }}')],
    ['an address that is a variable', scaffold('{{ "HTTP://127.0.0.1:1/x.tar.gz?" + Environ.CI_TOKEN }}')],
  ])('made of %s is refused', async (_case, resource) => {
    expect(await scanIn(directoryWith({ 'policy.yaml': policyOf(resource) }))).toMatchObject([REFUSED])
  })

  test.each([
    ['data', archive('http://{{ Data.host }}/x.tar.gz')],
    ['facts', archive('http://{{ Data.host }}/{{ Facts.host.info.os }}/x.tar.gz')],
  ])('made of %s is not refused', async (_case, resource) => {
    const [result] = await scanIn(directoryWith({ 'policy.yaml': policyOf(resource) }))
    expect(result?.verdict).toBe('drifted')
  })

  test('is refused where a child manifest gets the value as data, at any depth', async () => {
    const directory = directoryWith({
      'policy.yaml': policyOf(`- apply: {name: middle.yaml, data: {token: '{{ Environ.CI_TOKEN }}', plain: x}}`),
      'middle.yaml': policyOf('- apply: {name: leaf.yaml}'),
      'leaf.yaml': `ccm:
  resources:
    ${archive('http://{{ Data.host }}/{{ Data.token }}/x.tar.gz')}
    ${archive('http://{{ Data.host }}/{{ lookup("data.token") }}/x.tar.gz').replace('nowhere/x.tar.gz', 'nowhere/y.tar.gz')}
    ${archive('http://{{ Data.host }}/x.tar.gz').replace('nowhere/x.tar.gz', 'nowhere/z.tar.gz')}
`,
    })
    const results = await scanIn(directory)
    expect(results.filter(({ type }) => type === 'archive')).toMatchObject([REFUSED, REFUSED, { verdict: 'drifted' }])
  })

  test('is refused in resources that a template made of the value', async () => {
    const directory = directoryWith({
      'policy.yaml': 'ccm: {resources_jet_file: resources.jet}\n',
      'resources.jet': archive('http://127.0.0.1:1/[[ environ.CI_TOKEN ]]/x.tar.gz'),
    })
    expect(await scanIn(directory)).toMatchObject([REFUSED])
  })

  test('may hold them where the operator allows it', async () => {
    const resource = archive('http://{{ Data.host }}/{{ Environ.CI_TOKEN }}/x.tar.gz')
    const [result] = await scanIn(directoryWith({ 'policy.yaml': policyOf(resource) }), { urlValues: true })
    expect(result?.verdict).toBe('drifted')
  })

  test('says nothing of other properties, nor of a source that is a directory', async () => {
    const directory = directoryWith({
      'policy.yaml': policyOf(`${scaffold('{{ Environ.CI_TOKEN }}')}
    - exec: {name: 'echo http://127.0.0.1/{{ Environ.CI_TOKEN }}', refreshonly: true}`),
    })
    for (const { message = '' } of await scanIn(directory)) expect(message).not.toContain('--url-values')
  })
})
