import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

const [uid, gid] = [String(process.getuid?.()), String(process.getgid?.())]

describe('status', () => {
  test('prints a policy that this machine complies with', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'a file'), 'x')
    chmodSync(join(cwd, 'a file'), 0o4640)
    mkdirSync(join(cwd, 'sub'), { mode: 0o750 })
    const names = ['a file', 'sub', 'gone'].map((name) => join(cwd, name))
    const { code, stdout, stderr } = await driftgate(['status', 'file', ...names], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(parse(stdout)).toMatchObject([
      {
        file: [
          { [names[0] ?? '']: { ensure: 'present', mode: '4640', if_absent: 'drift' } },
          { [names[1] ?? '']: { ensure: 'directory', mode: '0750' } },
          { [names[2] ?? '']: { ensure: 'absent' } },
        ],
      },
    ])
    const indented = stdout.replaceAll(/^/gm, '    ')
    writeFileSync(join(cwd, 'policy.yaml'), `ccm:\n  resources:\n${indented}`)
    expect(await driftgate(['scan', 'policy.yaml', '--quiet'], { cwd })).toMatchObject({ code: 0 })
  })

  test('reports unsupported and unobservable objects, and prints the rest', async () => {
    const cwd = temporaryDirectory()
    symlinkSync('nowhere', join(cwd, 'dangling'))
    symlinkSync('loop', join(cwd, 'loop'))
    const paths = ['dangling', 'loop', 'gone'].map((name) => join(cwd, name))
    const { code, stdout, stderr } = await driftgate(['status', 'file', ...paths, '--json'], { cwd })
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toEqual([{ type: 'file', name: paths[2], properties: { ensure: 'absent' } }])
    expect(stderr).toMatch(/dangling is a .*symlink.*\n.*loop/)
  })

  test('packages are there in a version', async () => {
    const cwd = temporaryDirectory()
    const { code, stdout } = await driftgate(['status', 'package', 'no-such-package-anywhere', '--json'], { cwd })
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      [{ type: 'package', name: 'no-such-package-anywhere', properties: { ensure: 'absent' } }],
    ])
  })

  test.each([
    [['fil', '/x'], /unknown type "fil", did you mean "file"\? \(file, package, service, /],
    [['exec', 'true'], /type exec cannot express the current state/],
    [['file'], /missing name/],
  ])('%s is wrong usage', async (words, message) => {
    const { code, stderr } = await driftgate(['status', ...words], { cwd: temporaryDirectory() })
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })
})

describe('ensure', () => {
  test('audits one resource, repairs it, and proves it, with the exit codes of a scan', async () => {
    const cwd = temporaryDirectory()
    const path = join(cwd, 'motd')
    // Text is never parsed as YAML, and properties have their other names.
    const words = ['ensure', 'file', path, 'contents=5.10: {"x"} # no\n', `owner=${uid}`, `group=${gid}`, 'mode=0640']
    const audit = await driftgate(words, { cwd })
    expect(audit).toMatchObject({ code: 2 })
    expect(audit.stdout.replaceAll(/\s+/g, ' ')).toContain('found absent; run the same command with --fix to fix it')
    expect(audit.stdout).not.toContain('driftgate scan')
    expect(await driftgate([...words, '--fix'], { cwd })).toMatchObject({ code: 0 })
    expect(readFileSync(path, 'utf8')).toBe('5.10: {"x"} # no\n')
    const again = await driftgate([...words, '--report', 'json'], { cwd })
    const [resource] = JSON.parse(again.stdout).policies[0].resources
    expect(resource).toMatchObject({ verdict: 'compliant', source: { file: 'command line', line: 1 } })
  })

  test('parses properties that are not text as YAML, and those with ":="', async () => {
    const cwd = temporaryDirectory()
    const words = ['ensure', 'exec', 'true', 'unless=exit 3', 'provider=shell', 'refreshonly=false', 'returns=[0, 3]']
    const { code, stdout } = await driftgate([...words, 'unless:="exit 0"'].toSpliced(3, 1), { cwd })
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(await driftgate(words, { cwd })).toMatchObject({ code: 2 })
  })

  test('templates see facts and data as in a policy', async () => {
    const cwd = temporaryDirectory()
    const words = ['ensure', 'file', `${cwd}/{{ Data.name }}`, 'ensure=absent', '--set', 'name=gone']
    expect(await driftgate(words, { cwd })).toMatchObject({ code: 0 })
  })

  test.each([
    [['fil', '/x'], /unknown type "fil", did you mean "file"\?/],
    [['file', '/x', 'content'], /"content" is not a property: write NAME=VALUE or NAME:=YAML/],
    [['file', '/x', 'mode=0644', 'mode=0600'], /property mode is given more than once/],
    [['file', '/x', 'force:={'], /force: /],
    [['file', '/x', 'contnt=x', 'mode=0644'], /command line:1:\d+ unknown property "contnt".*did you mean "content"\?/],
    [['service', 'cron', 'enable=maybe'], /enable must be true or false, found text "maybe"/],
  ])('%s is wrong usage', async (words, message) => {
    const { code, stderr } = await driftgate(['ensure', ...words], { cwd: temporaryDirectory() })
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })
})
