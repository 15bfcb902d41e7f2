import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { ownFile, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

/** A directory with a file of the wrong mode, a file too many, a secret, and a file whose directory is missing. */
function makeDrift(): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'site.conf'), 'on\n', { mode: 0o600 })
  writeFileSync(join(cwd, 'token'), 'hunter21', { mode: 0o644 })
  writePolicy(
    join(cwd, 'site.json'),
    [
      { name: join(cwd, 'site.conf'), ...ownFile({ content: 'on\n' }) },
      { name: join(cwd, 'token'), ...ownFile({ content: 'hunter22', sensitive: true }) },
      { name: join(cwd, 'none/x'), ...ownFile({ content: 'x' }) },
      { name: join(cwd, 'gone'), ensure: 'absent' },
    ],
    { id: 'site' },
  )
  return cwd
}

test('a plan is what a fix then does', async () => {
  const cwd = makeDrift()
  const audit = await driftgate(['scan', 'site.json', '--report', 'plan'], { cwd })
  expect({ code: audit.code, stderr: audit.stderr }).toEqual({ code: 2, stderr: '' })
  const wanted = audit.stdout.replaceAll(/digest [0-9a-f]+/g, 'digest …').replaceAll(cwd, '')
  expect(wanted).toBe(`\
site/file#/site.conf:
 Messages:
  plan: would set the attributes of the file
 Has Changes: yes
 Changes:
  mode: "0600" => "0644"

site/file#/token:
 Messages:
  plan: would replace the file
 Has Changes: yes
 Changes:
  content: "(secret, digest …)" => "(secret, digest …)"

site/file#/none/x:
 Error: cannot change: /none is not a directory: it does not exist
 Messages:
  plan: would create the file
 Has Changes: yes
 Changes:
  ensure: "absent" => "present"

Errors:
 * site/file#/none/x: cannot change: /none is not a directory: it does not exist

Summary: 1 errors, 3 changes
`)
  const fix = await driftgate(['scan', 'site.json', '--fix', '--report', 'plan'], { cwd })
  expect(fix.code).toBe(4)
  expect(fix.stdout).toContain(
    '  done: set the attributes of the file\n Has Changes: yes\n Changes:\n  mode: "0600" => "0644"\n',
  )
  expect(fix.stdout).toMatch(/\nSummary: 1 errors, 2 changes\n$/)
  expect(audit.stdout + fix.stdout).not.toContain('hunter2')
  const after = await driftgate(['scan', 'site.json', '--report', 'plan', '--verbose'], { cwd })
  expect(after.stdout.match(/^ Has Changes: no$/gm)).toHaveLength(3)
})

test('a plan in a file is whole, on a screen --quiet leaves its summary', async () => {
  const cwd = makeDrift()
  const quiet = ['scan', 'site.json', '--quiet', '--report']
  expect((await driftgate([...quiet, 'plan'], { cwd })).stdout).toBe('Summary: 1 errors, 3 changes\n')
  await driftgate([...quiet, 'plan=plan.txt'], { cwd })
  expect(readFileSync(join(cwd, 'plan.txt'), 'utf8')).toMatch(/^site\/file#[^]*\nSummary: 1 errors, 3 changes\n$/)
})

test('a plan of what could not be scanned is told once on a screen, and in a file', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), 'ccm: { resources: [{ file: { name: /a, ensure: gone } }] }\n')
  const args = ['scan', 'p.yaml', '--report', 'plan']
  const screen = await driftgate(args, { cwd })
  expect(screen).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('p.yaml:1:') })
  expect((await driftgate([...args.slice(0, 3), 'plan=plan.txt'], { cwd })).code).toBe(1)
  expect(readFileSync(join(cwd, 'plan.txt'), 'utf8')).toMatch(/^p\.yaml:1:[^]*\n\nSummary: 1 errors, 0 changes\n$/)
})

test('colour comes to a plan as to text', async () => {
  const { stdout } = await driftgate(['scan', 'site.json', '--report', 'plan'], {
    cwd: makeDrift(),
    env: { FORCE_COLOR: '1' },
  })
  expect(stdout).toContain('\u001b[31mSummary\u001b[39m: 1 errors')
})
