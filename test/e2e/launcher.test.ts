import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { transformSync } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { DRIFTGATE, type Outcome, start, temporaryDirectory } from '../support/driftgate.ts'

const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }

/** Runs a program with this Node, which says that it is another version. */
function runAs(version: string, program: string, args: readonly string[]): Promise<Outcome> {
  const cwd = temporaryDirectory()
  const disguise = join(cwd, 'disguise.cjs')
  const versions = JSON.stringify({ ...process.versions, node: version })
  writeFileSync(disguise, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return start(process.execPath, ['--require', disguise, program, ...args], { cwd }).outcome
}

describe('a Node that is too old', () => {
  test.each(['4.9.1', '16.20.2', '18.19.0', '20.9.0', '20.18.3'])('%s gets one sentence', async (version) => {
    const { code, stdout, stderr } = await runAs(version, DRIFTGATE, ['scan', 'policy.yaml'])
    const needed = engines.node.replace('>=', '')
    expect(stderr).toMatch(new RegExp(`^driftgate needs Node ${needed} or later, and \\S+ is Node ${version}: .*\\n$`))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  test.each(['20.19.0', '20.20.2', '21.0.0', '22.0.0', '100.0.0'])('does not include %s', async (version) => {
    expect(await runAs(version, DRIFTGATE, ['--version'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('can read the launcher: no syntax is newer than ES2015', () => {
    const text = readFileSync(DRIFTGATE, 'utf8')
    expect(transformSync(text, { target: 'es2015' }).code).toBe(transformSync(text, { target: 'esnext' }).code)
    expect(text.split('\n')[0]).toBe('#!/usr/bin/env node')
    // Nodes before 14.18 know no module by such a name.
    expect(text).not.toContain('node:')
  })
})

function builtCache(): string {
  const folder = dirname(DRIFTGATE)
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.cache')) ?? '')
}

/** A copy of the built command whose compiled code is what a function makes of it. */
function installation(change: (compiled: Buffer) => Buffer): { readonly program: string; readonly folder: string } {
  const root = temporaryDirectory()
  const folder = join(root, 'dist/bin')
  cpSync(dirname(DRIFTGATE), folder, { recursive: true })
  for (const name of ['node_modules', 'package.json', 'policies', 'dist/policies'])
    symlinkSync(join(process.cwd(), name), join(root, name))
  const [cache = ''] = readdirSync(folder).filter((name) => name.endsWith('.cache'))
  writeFileSync(join(folder, cache), change(readFileSync(join(folder, cache))))
  return { program: join(folder, 'driftgate.js'), folder }
}

const ABSENT = 'ccm:\n  resources:\n    - file:\n        - /nowhere: { ensure: absent }\n'

function scan(program: string, nodeOptions: readonly string[] = []): Promise<Outcome> {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.yaml'), ABSENT)
  return start(process.execPath, [...nodeOptions, program, 'scan', 'policy.yaml'], { cwd }).outcome
}

/** Whether V8 refuses the compiled code of an installation. */
function isRejected(folder: string, nodeOptions: readonly string[] = [], operand = 'policy.yaml'): string {
  const question = join(temporaryDirectory(), 'question.cjs')
  writeFileSync(
    question,
    `const { loadCommand } = require(${JSON.stringify(join(folder, 'load.js'))})
    const { scripts } = loadCommand(${JSON.stringify(['scan', operand])})
    process.stdout.write(String(scripts.get('command').cachedDataRejected))`,
  )
  return spawnSync(process.execPath, [...nodeOptions, question], { encoding: 'utf8' }).stdout
}

describe('compiled code', () => {
  const whole = (compiled: Buffer): Buffer => compiled

  test('is made by the build for the Node that runs it', () => {
    expect(isRejected(dirname(DRIFTGATE))).toBe('false')
  })

  test('of parts that a scan asks for is taken, too, although flags of V8 were set meanwhile', () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'policy.yaml'), ABSENT)
    const question = join(cwd, 'question.cjs')
    writeFileSync(
      question,
      `const { command, scripts } = require(${JSON.stringify(join(dirname(DRIFTGATE), 'load.js'))}).loadCommand([])
      const isRejected = () => process.stdout.write(String(scripts.get('parts')?.cachedDataRejected))
      process.on('exit', isRejected)
      void command.main(['scan', 'policy.yaml', '--quiet', '--report', 'junit=report.xml'])`,
    )
    expect(spawnSync(process.execPath, [question], { cwd, encoding: 'utf8' }).stdout).toMatch(/\nfalse$/)
  })

  test('has what baselines run in a file of its own', () => {
    const { folder } = installation(() => Buffer.from('no compiled code'))
    expect([isRejected(folder, [], 'policy.yaml'), isRejected(folder, [], '@linux')]).toEqual(['true', 'false'])
    const { size } = statSync(`${builtCache()}.baseline`)
    expect(size).toBeGreaterThan(statSync(builtCache()).size * 1.2)
  })

  test.each([
    ['--max-old-space-size=700', 'false'],
    ['--max_old_space_size=700', 'false'],
    ['--max-semi-space-size=64', 'false'],
    ['--no-opt', 'true'],
    ['--stack-size=2000', 'true'],
  ])('is taken where options say no more than how large the heap may get: %s', (option, isRefused) => {
    const both = ['--max-old-space-size=700', option]
    expect([isRejected(dirname(DRIFTGATE), [option]), isRejected(dirname(DRIFTGATE), both)]).toEqual([
      isRefused,
      isRefused,
    ])
  })

  test('made with other flags is refused, and the scan is the same', async () => {
    const { program, folder } = installation(whole)
    expect(isRejected(folder, ['--no-opt'])).toBe('true')
    expect(await scan(program, ['--no-opt'])).toEqual(await scan(DRIFTGATE))
  })

  test.each([
    ['cut', (compiled: Buffer) => compiled.subarray(0, compiled.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['no compiled code', () => Buffer.from('#!/bin/sh\necho planted\n')],
    ['of another version of V8', (compiled: Buffer) => Buffer.from(compiled).fill(0xff, 4, 8)],
  ])('that is %s is refused, and the scan is the same', async (_name, change) => {
    const { program, folder } = installation(change)
    expect(isRejected(folder)).toBe('true')
    expect(await scan(program)).toEqual(await scan(DRIFTGATE))
  })

  test('is never written by a scan', async () => {
    const { program, folder } = installation(() => Buffer.alloc(0))
    const before = readdirSync(folder)
    await scan(program)
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(join(folder, basename(builtCache())))).toHaveLength(0)
  })

  test('is regenerated for another Node by make-cache.js', async () => {
    const { folder } = installation(() => Buffer.alloc(0))
    const made = await start(process.execPath, [join(folder, 'make-cache.js')], { cwd: temporaryDirectory() }).outcome
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(isRejected(folder)).toBe('false')
  })
})
