import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { beside, CONFIG, makePlace, type Place } from '../support/config-place.ts'
import { driftgate } from '../support/driftgate.ts'
import { markerPlugin, writeFiles } from '../support/plugin.ts'

const place = (files: Readonly<Record<string, string>>): Place => makePlace(driftgate, files)

test('plugins of a config are paths from its directory, or packages found from there or from here', async () => {
  const pack = (name: string): Readonly<Record<string, string>> => ({
    [`${name}/package.json`]: '{ "type": "module" }',
  })
  const { directory, run } = place({
    ...beside('plugins: [./a.mjs, beside, here]\n'),
    'policies/a.mjs': markerPlugin('demo.a'),
    ...pack('policies/node_modules/beside'),
    'policies/node_modules/beside/index.js': markerPlugin('demo.b'),
    ...pack('work/node_modules/here'),
    'work/node_modules/here/index.js': markerPlugin('demo.c'),
    'work/d.mjs': markerPlugin('demo.d'),
  })
  const resources = ['a', 'b', 'c', 'd'].map((name) => `    - demo.${name}: [{ ${directory}/x: {} }]\n`).join('')
  writeFileSync(join(directory, 'policies/p.yaml'), `ccm:\n  resources:\n${resources}`)
  const args = ['scan', '../policies', '--plugin', './d.mjs']
  const { code, stdout, stderr } = await driftgate(args, { cwd: join(directory, 'work') })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  expect(stdout).toContain('4 drifted')
  const types = await run('types', '--json', '--config', `policies/${CONFIG}`)
  expect(types.code).toBe(1)
  expect(types.stderr).toContain(`policies/${CONFIG}:1:28 cannot load plugin here: no such package in node_modules`)
})

test('only a config that is named can turn a scan into a fix', async () => {
  const { directory, run } = place({
    ...beside('fix: true\n'),
    'policies/p.yaml': 'ccm:\n  resources:\n    - demo.marker: [{ marker: {} }]\n',
  })
  const named = ['--config', `policies/${CONFIG}`, '--plugin', './marker.mjs']
  const manifest = `ccm:\n  resources:\n    - demo.marker: [{ ${directory}/marker: {} }]\n`
  writeFiles(directory, { 'marker.mjs': markerPlugin(), 'policies/p.yaml': manifest })
  const { code, stderr } = await run('scan', 'policies', '--plugin', './marker.mjs')
  expect(code).toBe(1)
  expect(stderr).toContain('1:6 a config file found next to the policies cannot turn a scan into a fix')
  expect(await run('scan', 'policies', ...named, '--fix=false')).toMatchObject({ code: 2 })
  expect(existsSync(join(directory, 'marker'))).toBe(false)
  expect(await run('scan', 'policies', ...named)).toMatchObject({ code: 0 })
  expect(existsSync(join(directory, 'marker'))).toBe(true)
})
