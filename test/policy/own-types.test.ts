import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadPolicy, type Policy, scan } from '../../src/index.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { gadget } from './support.ts'

/** The path of a policy with one gadget with these properties, applied by another policy. */
function policyOf(properties: string): string {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'child.yaml'), `ccm:\n  resources:\n    - gadget: [{ g: { ${properties} } }]\n`)
  writeFileSync(join(directory, 'p.yaml'), 'ccm:\n  resources:\n    - apply: [{ child.yaml: {} }]\n')
  return join(directory, 'p.yaml')
}

const types = [...resourceTypes, gadget]

test('policies and their children use the types they are loaded with', async () => {
  const loaded = await loadPolicy(policyOf('size: 3'), { types })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  for (const options of [{}, { types }]) {
    const run = await scan(loaded.value, options)
    expect(run.policies[0]?.resources.map(({ id, provider }) => [id, provider])).toContainEqual(['gadget#g', 'plain'])
  }
})

test('two types of one name are not mixed', async () => {
  const loadedWith = async (type: typeof gadget): Promise<Policy> => {
    const loaded = await loadPolicy(policyOf('size: 3'), { types: [...resourceTypes, type] })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    const [policy] = loaded.value
    if (policy === undefined) throw new Error('no policy')
    return policy
  }
  const policies = [await loadedWith(gadget), await loadedWith({ ...gadget })]
  await expect(scan(policies)).rejects.toThrow('two different resource types called gadget')
  expect((await scan([...policies.slice(0, 1), ...policies.slice(0, 1)])).policies).toHaveLength(2)
})

test('without the types the policy is not valid', async () => {
  const loaded = await loadPolicy(policyOf('size: 3'))
  expect(loaded).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('"gadget"') }] })
})

test('the types are checked as those that ship are', async () => {
  const loaded = await loadPolicy(policyOf('size: 30, lowd: true, require: 7'), { types })
  const messages = loaded.ok ? [] : loaded.problems.map(({ position, message }) => [position?.column, message])
  expect(messages).toEqual([
    // Behind `    - gadget: [{ g: { `, which is 22 characters long, and what stands before each in the braces.
    [22 + 'size: '.length + 1, expect.stringContaining('size must be')],
    [
      22 + 'size: 30, '.length + 1,
      expect.stringContaining('unknown property "lowd" of type gadget, did you mean "loud"?'),
    ],
    [22 + 'size: 30, lowd: true, require: '.length + 1, expect.stringContaining('require must be a list')],
  ])
})
