import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { driftgate, type Outcome } from '../support/driftgate.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'
import { treeState } from '../support/tree-state.ts'

// State is kept below the home of an unprivileged user, so no fix of another test is in the way.
const NOBODY = 65534

interface Site {
  readonly tree: string
  /** What a file says. */
  readonly read: (name: string) => string
  readonly run: (...args: readonly string[]) => Promise<Outcome>
}

/** A home of an unprivileged user, with three files, a policy that wants others, and its plan. */
async function plannedSite(): Promise<Site> {
  const home = temporaryDirectory()
  const tree = join(home, 'tree')
  mkdirSync(tree)
  for (const path of [home, tree]) chownSync(path, NOBODY, NOBODY)
  execFileSync('sh', ['-c', 'umask 022; for n in one two three; do echo old >$n; touch -d 2001-02-03 $n; done'], {
    cwd: tree,
    uid: NOBODY,
    gid: NOBODY,
  })
  const wanted = { ensure: 'present', content: 'new\n', owner: 'nobody', group: 'nogroup', mode: '0640' }
  const files = ['one', 'two', 'three'].map((name) => ({ [join(tree, name)]: wanted }))
  writeFileSync(join(home, 'site.json'), JSON.stringify({ ccm: { resources: [{ file: files }] } }))
  const run: Site['run'] = (...args) => driftgate(args, { cwd: home, uid: NOBODY, env: { TMPDIR: home } })
  expect(await run('scan', 'site.json', '--save-plan', 'plan.json', '--quiet')).toMatchObject({ code: 2, stderr: '' })
  return { tree, run, read: (name) => readFileSync(join(tree, name), 'utf8') }
}

const FIX = ['scan', 'site.json', '--fix', '--plan', 'plan.json']

describe.skipIf(needsRoot)('a fix with a plan', () => {
  it('is taken back at its deadline, and the plan holds for what it was made for', async () => {
    const { tree, read, run } = await plannedSite()
    const before = treeState(tree)
    expect((await run(...FIX, '--confirm-within', '1s')).stdout).toContain('this fix is reverted at')
    await vi.waitFor(() => expect(treeState(tree)).toBe(before), { timeout: 90_000, interval: 200 })

    expect(await run(...FIX, '--confirm-within', '1h')).toMatchObject({ code: 0 })
    expect(await run('confirm')).toMatchObject({ code: 0 })
    expect(['one', 'two', 'three'].map(read)).toEqual(['new\n', 'new\n', 'new\n'])
  })

  it('is undone without the change that it refused, and a manual edit stays', async () => {
    const { tree, read, run } = await plannedSite()
    writeFileSync(join(tree, 'two'), 'of somebody else\n')
    const before = treeState(tree)
    const fixed = await run(...FIX, '--quiet')
    expect({ code: fixed.code, contents: ['one', 'two', 'three'].map(read) }).toEqual({
      code: 4,
      contents: ['new\n', 'of somebody else\n', 'new\n'],
    })
    const undone = await run('undo', '--report', 'json')
    const { policies } = JSON.parse(undone.stdout) as { policies: { resources: { name: string; verdict: string }[] }[] }
    expect(policies.flatMap(({ resources }) => resources.map(({ name, verdict }) => [name, verdict]))).toEqual([
      [join(tree, 'three'), 'fixed'],
      [join(tree, 'one'), 'fixed'],
    ])
    expect(treeState(tree)).toBe(before)
    // What the plan was made for is there again.
    expect(await run(...FIX, '--only', 'file#*/one')).toMatchObject({ code: 0 })
    expect(read('one')).toBe('new\n')
  })
})
