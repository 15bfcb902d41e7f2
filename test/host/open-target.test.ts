import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPolicy, openTarget, scan } from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'

describe('a target of a library program', () => {
  test('is what stands below a root, not this machine', async () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, 'disk/etc'), { recursive: true })
    writeFileSync(join(home, 'disk/etc/only-there'), '')
    const file = { ensure: 'present', if_absent: 'drift' }
    const files = [{ '/etc/only-there': file }, { '/etc/passwd': file }]
    writeFileSync(join(home, 'policy.yaml'), JSON.stringify({ ccm: { resources: [{ file: files }] } }))
    const target = await openTarget(`root:${join(home, 'disk')}`)
    const loaded = await loadPolicy(join(home, 'policy.yaml'), { target })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    const run = await scan(loaded.value, { target })
    expect(run.policies[0]?.resources.map(({ verdict }) => verdict)).toEqual(['compliant', 'drifted'])
    expect(run.target.kind).toBe('root')
  })

  test('is this machine', async () => {
    expect((await openTarget('local')).kind).toBe('local')
  })

  test.each([
    ['disk', '"disk" is not one of local, root:DIR, image:PATH[#REF]'],
    ['root:', '"root:" is not one of local, root:DIR, image:PATH[#REF]'],
    ['local:here', '"local:here" is not one of'],
    ['ssh:web', '"ssh:web" is not one of'],
    ['root:/nowhere/at/all', 'root:/nowhere/at/all: '],
    ['image:/nowhere/at/all', 'image:/nowhere/at/all: '],
  ])('that cannot be opened is said: %s', async (spec, message) => {
    await expect(openTarget(spec)).rejects.toThrow(message)
  })
})
