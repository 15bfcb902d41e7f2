import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { driftgate, DRIFTGATE, type Outcome, start } from '../support/driftgate.ts'
import { needsStrace } from '../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'
import { treeState } from '../support/tree-state.ts'

// State is kept below the home of an unprivileged user, or where that fails below TMPDIR, so no fix of another test is in the way.
const NOBODY = 65534

/** A home of its own for a user who is not root, with a tree in it. */
function homeOf(script: string): { readonly home: string; readonly tree: string } {
  const home = temporaryDirectory()
  const tree = join(home, 'tree')
  chownSync(home, NOBODY, NOBODY)
  mkdirSync(tree)
  chownSync(tree, NOBODY, NOBODY)
  execFileSync('sh', ['-c', script], { cwd: tree, uid: NOBODY, gid: NOBODY })
  return { home, tree }
}

function writePolicy(home: string, resources: string): string {
  const path = join(home, 'policy.yaml')
  writeFileSync(path, `policy: { id: undo }\nccm:\n  resources:\n${resources}`)
  return path
}

const owned = 'owner: nobody, group: nogroup, mode: "0644"'

interface Fix {
  readonly run: string
  readonly undoes?: string
}

async function fixesOf(home: string): Promise<readonly Fix[]> {
  return JSON.parse((await run(home, 'fixes', '--json')).stdout) as readonly Fix[]
}

async function run(home: string, ...args: readonly string[]): Promise<Outcome> {
  return driftgate(args, { cwd: home, uid: NOBODY, env: { TMPDIR: home } })
}

describe.skipIf(needsRoot)('driftgate undo', () => {
  it('takes back the last fix, and then that', async () => {
    const { home, tree } = homeOf('echo old > a; touch -d 2001-02-03 a; mkdir dir; echo kept > dir/x')
    const policy = writePolicy(
      home,
      `    - file:
        - ${tree}/a: { ensure: present, content: "new\\n", ${owned} }
        - ${tree}/b: { ensure: present, content: "new\\n", ${owned} }
        - ${tree}/dir: { ensure: absent, force: true }\n`,
    )
    const before = treeState(tree)
    const fixed = await run(home, 'scan', policy, '--fix')
    expect(fixed.stdout).toContain('to undo this fix, run: driftgate undo')
    const after = treeState(tree)
    expect(after).not.toBe(before)

    const undone = await run(home, 'undo')
    expect(undone).toMatchObject({ code: 0, stderr: '' })
    expect(undone.stdout).toMatch(/\n3 restored, exit 0\n$/)
    expect(treeState(tree)).toBe(before)

    expect(await run(home, 'undo')).toMatchObject({ code: 1, stderr: expect.stringContaining('--latest') })
    expect(await run(home, 'undo', '--latest')).toMatchObject({ code: 0 })
    expect(treeState(tree)).toBe(after)

    const listed = await run(home, 'fixes')
    expect(listed.stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/undid/),
      expect.stringMatching(/undid .*; undone by/),
      expect.stringMatching(/file#.*; undone by/),
    ])
  })

  it('refuses a file edited since with both values, undoes the rest, and obeys --force', async () => {
    const { home, tree } = homeOf('echo old > a; echo old > b')
    const files = ['a', 'b'].map(
      (name) => `        - ${tree}/${name}: { ensure: present, content: "new\\n", ${owned} }\n`,
    )
    const policy = writePolicy(home, `    - file:\n${files.join('')}`)
    expect(await run(home, 'scan', policy, '--fix')).toMatchObject({ code: 0 })
    writeFileSync(join(tree, 'a'), 'by hand\n')
    const refused = await run(home, 'undo')
    expect(refused.code).toBe(4)
    expect(refused.stdout).toMatch(
      /conflict {2}.*: changed since the fix\n {4}before the fix: file, 4 bytes.*\n {4}after the fix: {2}file, 4 bytes.*\n {4}now: {12}file, 8 bytes/,
    )
    expect([readFileSync(join(tree, 'a'), 'utf8'), readFileSync(join(tree, 'b'), 'utf8')]).toEqual([
      'by hand\n',
      'old\n',
    ])
    const [, first] = await fixesOf(home)
    expect(await run(home, 'undo', first?.run ?? '', '--force', '--only', `file#${tree}/a`)).toMatchObject({ code: 0 })
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('old\n')
  })

  it('takes back a command by the one that the policy names, and says which it cannot', async () => {
    const { home, tree } = homeOf('true')
    const policy = writePolicy(
      home,
      `    - exec:
        - touch ${tree}/made: { creates: ${tree}/made, undo: rm ${tree}/made }
        - touch ${tree}/stays: { creates: ${tree}/stays }\n`,
    )
    expect(await run(home, 'scan', policy, '--fix')).toMatchObject({ code: 0 })
    const undone = await run(home, 'undo')
    expect(undone.code).toBe(4)
    expect(undone.stdout).toContain("cannot be undone: the policy sets no 'undo' for the command")
    expect([existsSync(join(tree, 'made')), existsSync(join(tree, 'stays'))]).toEqual([false, true])
  })

  it('keeps nothing with --keep-undo 0, and only what it is told', async () => {
    const { home, tree } = homeOf('echo old > a')
    const policyWith = (text: string): string =>
      writePolicy(home, `    - file:\n        - ${tree}/a: { ensure: present, content: "${text}", ${owned} }\n`)
    expect(await run(home, 'scan', policyWith('1'), '--fix', '--keep-undo', '0')).toMatchObject({ code: 0 })
    expect(await run(home, 'undo')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^driftgate: the latest fix, .*, stored no undo data, so it cannot be undone\n$/),
    })
    for (const text of ['2', '3', '4']) {
      expect(await run(home, 'scan', policyWith(text), '--fix', '--keep-undo', '2,1h')).toMatchObject({ code: 0 })
    }
    expect(await fixesOf(home)).toHaveLength(2)
    expect((await run(home, 'scan', policyWith('5'), '--keep-undo', 'much')).stderr).toContain(
      'must be a number of fixes',
    )
  })

  it('takes a fix back at its deadline, unless it is confirmed', async () => {
    const { home, tree } = homeOf('echo old > a')
    const policy = writePolicy(
      home,
      `    - file:\n        - ${tree}/a: { ensure: present, content: "new\\n", ${owned} }\n`,
    )
    const content = (): string => readFileSync(join(tree, 'a'), 'utf8')
    const fixed = await run(home, 'scan', policy, '--fix', '--confirm-within', '1s')
    expect(fixed.stdout).toMatch(
      /this fix is reverted at 20.*Z \((also|but not) after a reboot\) unless you run "driftgate confirm [0-9a-f-]{36}"/,
    )
    await vi.waitFor(() => expect(content()).toBe('old\n'), { timeout: 90_000, interval: 50 })
    expect(await run(home, 'confirm')).toMatchObject({ code: 1, stderr: 'driftgate: no fix is pending confirmation\n' })

    expect(await run(home, 'scan', policy, '--fix', '--confirm-within', '1h')).toMatchObject({ code: 0 })
    expect((await run(home, 'fixes')).stdout).toContain('unless it is confirmed')
    expect(await run(home, 'confirm')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the fix .* stays\n$/) })
    expect((await run(home, 'fixes')).stdout).not.toContain('unless it is confirmed')
    expect(content()).toBe('new\n')
  })

  it('counts the time to confirm from the end of a fix, however long that takes', async () => {
    const { home, tree } = homeOf('echo old > a')
    const policy = writePolicy(
      home,
      `    - file:\n        - ${tree}/a: { ensure: present, content: "new\\n", ${owned} }\n` +
        `    - exec:\n        - sleep 6: { creates: ${tree}/never, undo: 'true' }\n`,
    )
    await run(home, 'scan', policy, '--fix', '--confirm-within', '5s')
    expect(await run(home, 'confirm')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^the fix .* stays\n$/) })
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('new\n')
  })

  it('takes a fix back at once after which a probe fails', async () => {
    const { home, tree } = homeOf('echo old > a')
    const policy = writePolicy(
      home,
      `    - file:\n        - ${tree}/a: { ensure: present, content: "new\\n", ${owned} }\n`,
    )
    const broken = await run(home, 'scan', policy, '--fix', '--probe', `grep -q old ${tree}/a`)
    expect(broken).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/the probe "grep .*" exited with 1; reverting the fix/),
    })
    expect(broken.stdout).toContain('the fix was reverted')
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('old\n')
    expect(await run(home, 'scan', policy, '--fix', '--probe', `grep -q new ${tree}/a`)).toMatchObject({ code: 0 })
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('new\n')
    expect((await run(home, 'scan', policy, '--probe', 'true')).stderr).toContain(
      '--confirm-within and --probe require --fix',
    )
    expect((await run(home, 'scan', policy, '--fix', '--probe', 'true', '--keep-undo', '0')).code).toBe(1)
  })

  it('leaves the old file where the command of validate refuses the new content', async () => {
    const { home, tree } = homeOf('echo old > a')
    const resource = (text: string): string =>
      `    - file:\n        - ${tree}/a: { ensure: present, content: "${text}\\n", ${owned}, validate: grep -q valid %s }\n`
    const refused = await run(home, 'scan', writePolicy(home, resource('bad')), '--fix')
    expect(refused.code).toBe(4)
    expect(refused.stdout).toContain(`${tree}/a was not written: grep -q valid`)
    expect(execFileSync('ls', ['-A', tree], { encoding: 'utf8' })).toBe('a\n')
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('old\n')
    expect(await run(home, 'scan', writePolicy(home, resource('valid')), '--fix')).toMatchObject({ code: 0 })
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('valid\n')
    expect(await run(home, 'undo')).toMatchObject({ code: 0 })
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('old\n')
    const without = writePolicy(home, resource('x').replace('%s', 'file'))
    expect((await run(home, 'validate', without)).stderr).toContain('%s')
  })

  it('does not touch what it cannot keep, and says how to go without a way back', async () => {
    const { home, tree } = homeOf('echo secret > closed; chmod 0000 closed')
    const policy = writePolicy(home, `    - file:\n        - ${tree}/closed: { ensure: absent }\n`)
    const refused = await run(home, 'scan', policy, '--fix')
    expect(refused.code).toBe(4)
    expect(refused.stdout).toMatch(/cannot be stored: .*; --keep-undo 0 fixes without undo data/)
    expect(existsSync(join(tree, 'closed'))).toBe(true)
    expect(await run(home, 'scan', policy, '--fix', '--keep-undo', '0')).toMatchObject({ code: 0 })
    expect(existsSync(join(tree, 'closed'))).toBe(false)
  })

  it.skipIf(needsStrace)('does not touch what its disk does not store, and lets go of it', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `f${at}`)
    const { home, tree } = homeOf(`for i in ${names.join(' ')}; do echo old > $i; done`)
    const items = names.map((name) => `        - ${tree}/${name}: { ensure: present, content: "new\\n", ${owned} }\n`)
    const policy = writePolicy(home, `    - file:\n${items.join('')}`)
    // Of each thread, the first three succeed: the journal is there, and some of the files are kept.
    const broken = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO:when=4+']
    const fix = [process.execPath, DRIFTGATE, 'scan', policy, '--fix', '--report', 'json']
    const { outcome } = start('strace', [...broken, ...fix], { cwd: home, uid: NOBODY, env: { TMPDIR: home } })
    const { policies } = JSON.parse((await outcome).stdout) as {
      policies: { resources: { name: string; message?: string }[] }[]
    }
    const refused = (policies[0]?.resources ?? []).filter(({ message = '' }) =>
      /undo data cannot be stored: .*: i\/o error/.test(message),
    )
    expect(refused.length).toBeGreaterThan(5)
    for (const { name } of refused) {
      expect([readFileSync(name, 'utf8'), statSync(name).nlink]).toEqual(['old\n', 1])
      writeFileSync(name, 'by hand\n')
    }
    const undone = await run(home, 'undo', '--latest')
    for (const { name } of refused) expect(readFileSync(name, 'utf8'), undone.stdout).toBe('by hand\n')
    expect(undone.stdout).toContain('changed since the fix')
    expect(undone.stdout).not.toContain('no longer exists')
  })
})
