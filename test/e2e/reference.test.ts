import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { driftgate, PROGRAM, start, temporaryDirectory } from '../support/driftgate.ts'
import { markerPlugin, writeFiles } from '../support/plugin.ts'
import { needsTerminal } from '../support/programs.ts'

describe.skipIf(needsTerminal())('on a terminal', () => {
  test('docs keeps to its width', async () => {
    const command = `sh -c 'stty cols 50; exec ${PROGRAM.join(' ')} docs service'`
    const args = ['--quiet', '--return', '--flush', '--command', command, '/dev/null']
    const { stdout } = await start('script', args, { cwd: temporaryDirectory(), env: { TERM: 'dumb' } }).outcome
    const lines = stdout.split(/\r?\n/)
    expect(lines[0]).toBe('service')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(50)
  })
})

describe('with a plugin', () => {
  const place = (): string => {
    const cwd = temporaryDirectory()
    writeFiles(cwd, {
      'marker.js': markerPlugin(),
      'driftgate.config.yaml': 'plugins: [./marker.js]\nout: never\n',
    })
    return cwd
  }
  const plugin = ['--plugin', './marker.js']

  test('docs explains its types', async () => {
    const cwd = place()
    const { code, stdout } = await driftgate(['docs', 'demo.marker', ...plugin], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('  colour  red | green\n      Nothing\n')
    expect(await driftgate(['docs', 'demo.marker'], { cwd })).toMatchObject({ code: 1 })
    await driftgate(['docs', ...plugin, '--out', 'pages'], { cwd })
    expect(readFileSync(join(cwd, 'pages/README.md'), 'utf8')).toContain('[demo.marker](demo.marker.md): An empty file')
    expect(readFileSync(join(cwd, 'pages/demo.marker.md'), 'utf8')).toContain(
      '| `colour` | `red` \\| `green` | Nothing |',
    )
  })

  test('schema knows its types as those that ship', async () => {
    const { stdout } = await driftgate(['schema', ...plugin], { cwd: place() })
    const validate = new Ajv({ allowUnionTypes: true, strictTypes: false, strictRequired: false }).compile(
      JSON.parse(stdout),
    )
    const policy = (type: string, body: unknown): unknown => ({ ccm: { resources: [{ [type]: [{ '/a': body }] }] } })
    expect(validate(policy('demo.marker', { colour: 'red' }))).toBe(true)
    expect(validate(policy('file', { ensure: 'absent' }))).toBe(true)
    expect(validate(policy('demo.marker', { colour: 'blue' }))).toBe(false)
    expect(validate(policy('demo.marker', { provider: 'apt' }))).toBe(false)
    expect(validate(policy('demo.markr', { colour: 'red' }))).toBe(false)
  })

  test('a config gives them the plugin, but not where the reports of a scan go', async () => {
    const cwd = place()
    const config = ['--config', 'driftgate.config.yaml']
    expect((await driftgate(['docs', 'demo.marker', ...config], { cwd })).stdout).toMatch(/^demo\.marker\n/)
    expect((await driftgate(['schema', ...config], { cwd })).stdout).toContain('"demo.marker"')
    expect(existsSync(join(cwd, 'never'))).toBe(false)
  })
})
