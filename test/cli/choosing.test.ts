import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, ownFile, temporaryDirectory } from '../support/driftgate.ts'

const NAMES = ['low', 'medium', 'high'] as const

/** A home with a policy of three files that are not there, each of another severity, in a child of its own. */
function homeWithPolicy(): string {
  const home = temporaryDirectory()
  const files = NAMES.map((name) => ({ [join(home, name)]: ownFile({ content: 'x' }) }))
  const controls = NAMES.map((name) => ({ id: `${name}-1`, severity: name, resources: [`file#${home}/${name}`] }))
  const child = { policy: { id: 'child', controls }, ccm: { resources: [{ file: files }] } }
  writeFileSync(join(home, 'child.yaml'), JSON.stringify(child))
  const top = { ccm: { resources: [{ apply: { name: 'child.yaml' } }] } }
  writeFileSync(join(home, 'policy.yaml'), JSON.stringify(top))
  return home
}

function made(home: string): readonly string[] {
  return NAMES.filter((name) => existsSync(join(home, name)))
}

function scan(home: string, ...args: readonly string[]): Promise<Outcome> {
  return driftgate(['scan', 'policy.yaml', ...args], { cwd: home })
}

describe('the set of changes of a fix', () => {
  it('is chosen by --fix-severity, independent of --fail-on', async () => {
    const home = homeWithPolicy()
    const outcome = await scan(home, '--fix', '--fix-severity', 'medium', '--fail-on', 'high')
    expect(outcome.code).toBe(0)
    expect(made(home)).toEqual(['medium', 'high'])
    expect(outcome.stdout).toContain('cannot, its severity is low, below --fix-severity medium')
  })

  it('is nothing where it would be more than --max-changes', async () => {
    const home = homeWithPolicy()
    const refused = await scan(home, '--fix', '--max-changes', '2', '--report', 'ndjson=fix.ndjson')
    expect(refused.code).toBe(4)
    expect(refused.stdout).toContain('3 resources would be changed, more than --max-changes 2: nothing was changed')
    expect(made(home)).toEqual([])
    const lines = readFileSync(join(home, 'fix.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).verdict ?? 'other')).toContain('drifted')
  })

  it('counts for --max-changes what is chosen and can be changed', async () => {
    const home = homeWithPolicy()
    expect(await scan(home, '--fix', '--max-changes', '2', '--fix-severity', 'medium')).toMatchObject({ code: 2 })
    expect(made(home)).toEqual(['medium', 'high'])
    expect(await scan(home, '--fix', '--max-changes', '1')).toMatchObject({ code: 0 })
    expect(await scan(home, '--fix', '--max-changes', '0')).toMatchObject({ code: 0 })
  })

  it('is planned as it was chosen', async () => {
    const home = homeWithPolicy()
    await scan(home, '--save-plan', 'plan.json', '--fix-severity', 'high')
    const { changes } = JSON.parse(readFileSync(join(home, 'plan.json'), 'utf8'))
    expect(changes).toMatchObject([{ id: `file#${home}/high` }])
    expect(await scan(home, '--fix', '--plan', 'plan.json', '--max-changes', '1')).toMatchObject({ code: 2 })
    expect(made(home)).toEqual(['high'])
  })

  it('is counted by the levels of a benchmark before it begins, with what it leaves', async () => {
    const home = temporaryDirectory()
    const file = (name: string): string => `file#${home}/${name}`
    const controls = [
      { id: 'a', tags: ['level-1'], resources: [file('a')] },
      { id: 'b', tags: ['level-1'], resources: [file('b'), file('no/parent')] },
      { id: 'c', tags: ['level-2'], resources: [file('c')] },
      { id: 'impossible', tags: ['level-2'], resources: [file('no/parent')] },
      { id: 'risky', tags: ['level-1'], resources: [file('.ssh')] },
      { id: 'manual', tags: ['level-1'], manual: true },
    ]
    const files = [
      ...['a', 'b', 'c', 'no/parent'].map((name) => ({ [join(home, name)]: ownFile({ content: 'x' }) })),
      { [join(home, '.ssh')]: ownFile({ content: 'x' }) },
    ]
    writeFileSync(
      join(home, 'policy.yaml'),
      JSON.stringify({ policy: { controls }, ccm: { resources: [{ file: files }] } }),
    )
    const outcome = await scan(home, '--fix', '--confirm-risky')
    expect(outcome.stderr).toContain(
      'driftgate: this fix will change 3 controls (2 of level 1, 1 of level 2), and leaves 3: 1 risky, 1 not fixable or not selected, 1 manual (needs review)',
    )
    expect((await scan(home, '--fix', '--confirm-risky', '--quiet')).stderr).not.toContain('will change')
    expect((await scan(home)).stderr).not.toContain('will change')
  })

  it.each([
    [['--fix', '--ask'], 'needs a terminal'],
    [['--fix-severity', 'high'], 'require --fix or --save-plan'],
    [['--ask'], 'require --fix or --save-plan'],
    [['--max-changes', '1', '--save-plan', 'plan.json'], '--max-changes requires --fix'],
    [['--fix', '--fix-severity', 'worst'], 'must be one of info, low, medium, high, critical'],
    [['--fix', '--max-changes', 'few'], 'must be a number of resources'],
  ])('cannot be said with %j', async (args, complaint) => {
    const home = homeWithPolicy()
    expect(await scan(home, ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(complaint) })
    expect(made(home)).toEqual([])
  })

  it('cannot be chosen interactively without a terminal', async () => {
    const home = homeWithPolicy()
    const watched = await driftgate(['watch', 'policy.yaml', '--every', '1h', '--fix', '--ask'], { cwd: home })
    expect(watched).toMatchObject({ code: 1, stderr: expect.stringContaining('needs a terminal') })
  })
})
