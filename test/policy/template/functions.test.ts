import { describe, expect, test } from 'vitest'
import { createFunctions, type FunctionHost } from '../../../src/policy/template/functions.ts'
import type { GoValue } from '../../../src/templates/govalue/index.ts'

const files = new Map([
  ['/etc/motd', 'hello'],
  ['policies/motd.templ', 'Hi {{ name }}'],
  ['policies/motd.jet', 'Hi [[ name ]]'],
])

const host: FunctionHost = {
  lookup: (path) =>
    new Map<string, GoValue>([
      ['data.port', 8080n],
      ['data.nil', null],
    ]).get(path),
  onMissing: 'error',
  workingDirectory: 'policies',
  readFile: (path) => {
    const text = files.get(path)
    if (text === undefined) throw new Error('no such file')
    return text
  },
  expand: (text) => `expanded ${text}`,
  renderJet: (template, { left, right }) => `${left}${template}${right}`,
  kvGet: (bucket, key) => `${bucket}/${key}`,
  registrations: (query) => Object.values(query),
}

const bare: FunctionHost = {
  ...host,
  onMissing: 'empty',
  renderJet: undefined,
  kvGet: undefined,
  registrations: undefined,
}

const callIn = (chosen: FunctionHost, name: string, args: readonly GoValue[]): GoValue => {
  const found = createFunctions(chosen, 'all').find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found.call(args)
}

describe('results', () => {
  test.each<[string, GoValue[], GoValue]>([
    ['lookup', ['data.port'], 8080n],
    ['lookup', ['data.port', 1n], 8080n],
    ['lookup', ['data.nil', 1n], null],
    ['lookup', ['data.missing', 1n], 1n],
    ['lookup', ['data.missing', false], false],
    ['lookup', ['data.missing', ''], ''],
    ['readFile', ['/etc/motd'], 'hello'],
    ['file', ['motd.jet'], 'Hi [[ name ]]'],
    ['template', ['a {{ b }}'], 'expanded a {{ b }}'],
    ['template', ['motd.templ'], 'expanded Hi {{ name }}'],
    ['template', ['motd.jet'], '[[Hi [[ name ]]]]'],
    ['jet', ['body'], '[[body]]'],
    ['jet', ['body', '<', '>'], '<body>'],
    ['jet', ['motd.jet'], '[[Hi [[ name ]]]]'],
    ['kvGet', ['bucket', 'key'], 'bucket/key'],
    ['registrations', ['c', 'p', 's', '*'], ['c', 'p', 's', '*']],
  ])('%s %o', (name, args, value) => {
    expect(callIn(host, name, args)).toEqual(value)
  })
})

// Texts of the functions of Choria Configuration Manager.
describe('errors', () => {
  test.each<[string, GoValue[], string]>([
    ['lookup', [], 'lookup requires 1 or 2 arguments'],
    ['lookup', ['a', 'b', 'c'], 'lookup requires 1 or 2 arguments'],
    ['lookup', [1n], 'lookup requires a string argument'],
    ['lookup', ['data.missing'], "missing key 'data.missing' in environment"],
    ['lookup', ['data.missing', null], "missing key 'data.missing' in environment"],
    ['readFile', [], 'readFile requires a string argument'],
    ['file', [1n], 'readFile requires a string argument'],
    ['readFile', ['nope'], 'failed to read file "policies/nope": working dir: "policies": no such file'],
    ['template', [], 'template requires a string argument'],
    ['template', [123n], 'template requires a string argument'],
    ['template', ['nope.templ'], 'failed to read file "policies/nope.templ": working dir: "policies": no such file'],
    ['template', ['nope.jet'], 'failed to read file "policies/nope.jet": working dir: "policies": no such file'],
    ['jet', [], 'jet requires 1 or 3 arguments'],
    ['jet', ['body', 'left'], 'jet requires 1 or 3 arguments'],
    ['jet', [123n], 'jet requires a string argument for template body'],
    ['jet', ['body', 123n, '>'], 'jet requires a string argument for left delimiter'],
    ['jet', ['body', '<', 123n], 'jet requires a string argument for right delimiter'],
    ['kvGet', ['bucket'], 'kvGet requires 2 string arguments: bucket, key'],
    ['kvGet', ['bucket', 1n], 'kvGet requires 2 string arguments: bucket, key'],
    ['registrations', ['a', 'b'], 'registrations requires 4 string arguments: cluster, protocol, service, ip'],
  ])('%s %o', (name, args, message) => {
    expect(() => callIn(host, name, args)).toThrow(message)
  })
})

test('an unavailable function names itself, after its arguments were checked', () => {
  expect(() => callIn(bare, 'kvGet', ['bucket', 'key'])).toThrow(/^kvGet function not available: .*server/)
  expect(() => callIn(bare, 'kvGet', ['bucket'])).toThrow(/requires 2/)
  expect(() => callIn(bare, 'registrations', ['a', 'b', 'c', 'd'])).toThrow(/^registrations function not available/)
  expect(() => callIn(bare, 'jet', ['body'])).toThrow(/not available/)
})

test('a missing path gives an empty string where that is asked for', () => {
  expect(callIn(bare, 'lookup', ['data.missing'])).toBe('')
  expect(callIn(bare, 'lookup', ['data.missing', 5n])).toBe(5n)
})

test('with lookups only, nothing else exists', () => {
  expect(createFunctions(host, 'lookup-only').map((found) => found.name)).toEqual(['lookup'])
})
