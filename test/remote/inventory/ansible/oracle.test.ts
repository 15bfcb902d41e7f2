import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { askAnsible, meantByUs, needsAnsible } from '../../../support/ansible-inventory.ts'
import { numbersFrom } from '../../../support/numbers.ts'
import { cases } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

interface Chance {
  readonly upTo: (end: number) => number
  readonly one: <T>(of: readonly T[]) => T
  readonly is: (share: number) => boolean
}

function chanceFrom(seed: number): Chance {
  const next = numbersFrom(seed)
  const upTo = (end: number): number => Math.floor(next() * end)
  const one = <T>(of: readonly T[]): T => {
    const found = of[upTo(of.length)]
    if (found === undefined) throw new Error('nothing to choose from')
    return found
  }
  return { upTo, one, is: (share) => next() < share }
}

const GROUPS = ['web', 'db', 'apps', 'east', 'west', 'zone_1', 'Big-Group'] as const
const HOSTS = [
  'web01',
  'web[1:3]',
  'db[01:05:2].example.com',
  'n[a:c]-[1:2]',
  'x[c:a]',
  '10.0.0.[1:3]',
  'gate:2222',
  'h[1:2].example.com:22',
  '2001:db8::1',
  '[2001:db8::2]:2201',
] as const
/** What is odd, or none at all. */
const ODD_HOSTS = [
  'odd_-',
  'odd_-:22',
  'web01:2200',
  'a.b:c',
  'ende:',
  'm[8:11]',
  'm[08:11]',
  'm[008:11]',
  'q[:2]',
  'q[1:]',
  'r[3:1]',
  'r[1:2',
  'R[A:b]',
] as const
const NAMES = [
  'ansible_host',
  'ansible_port',
  'ansible_user',
  'http_port',
  'mode',
  'who',
  'list',
  'a-b',
  'ansible_become',
] as const
const INI_VALUES = [
  '80',
  '0644',
  '0x1F',
  '1_000',
  '-5',
  '+5',
  '--5',
  '- 5',
  '-(5)',
  '1.5',
  '.5',
  '1.',
  '1e3',
  '1e',
  '00',
  '007',
  '1j',
  '1+2j',
  'yes',
  'True',
  'true',
  'None',
  'null',
  "'quoted'",
  '"double"',
  '"it\'s"',
  "'a' 'b'",
  "r'a\\n'",
  "'a\\n\\x41\\u00e9\\101\\q'",
  "'\\x4'",
  "u'x'",
  "f'x'",
  '[1, 2]',
  '[1,[2.0,"x"],{}]',
  '[1,',
  '(1,2)',
  '(1)',
  '()',
  '1,2',
  '1,',
  ',',
  '{"a": 1}',
  "{'a': [True, None]}",
  '{1: 2}',
  '{1, 2}',
  '{}',
  "{'a'}",
  'a b',
  'a=b',
  'a#b',
  '1 # one',
  "'x' # one",
  'x # one',
  '#',
  '',
  '"',
  "'",
  '\\',
  'a\\ b',
  '"a b"c',
  "'''x'''",
  '{{ other }}',
  'Trueish',
  '[True]x',
  '1 2',
  'not True',
  '1 == 1',
  '(1',
  '1)',
  '9007199254740993',
  '1__0',
  '0_7',
  '0b12',
  '1.5.2',
  '10.0.0.1',
] as const

/** Those which can stand behind a host. */
const INI_WORDS = [
  '80',
  '0644',
  "'x y'",
  '"[1, 2]"',
  'a\\ b',
  '"{\'a\': None}"',
  'yes',
  'True',
  '\'"05"\'',
  'a#b',
  '',
] as const

function iniInventory({ one, is, upTo }: Chance): string {
  const lines: string[] = []
  const host = (): string => {
    const more = Array.from({ length: upTo(3) }, () => `${one(NAMES)}=${one(is(0.03) ? INI_VALUES : INI_WORDS)}`)
    return (
      [one(is(0.05) ? ODD_HOSTS : HOSTS), ...more].join(one([' ', '  ', '\t'])) +
      one(['', '', '  # and so on', ' #x', '   '])
    )
  }
  for (let at = upTo(3); at >= 0; at--) lines.push(host())
  for (let at = 2 + upTo(5); at >= 0; at--) {
    const kind = one(['', '', ':vars', ':children', ':hosts'])
    lines.push(
      one(['', '# said', ';x', '   ']),
      `[${one(is(0.2) ? ['all', 'ungrouped'] : GROUPS)}${kind}]${one(['', '', ' ', ' # so'])}`,
    )
    for (let member = upTo(4); member > 0; member--) {
      if (kind === ':vars') lines.push(`${one(NAMES)}${one(['=', ' = ', '= '])}${one(INI_VALUES)}`)
      else if (kind === ':vars' || kind === ':children') lines.push(one(GROUPS) + one(['', '', ' # so']))
      else lines.push(host())
    }
    if (kind === ':vars' && is(0.3))
      lines.push(`ansible_group_priority=${one(['2', '10', "'3'", is(0.1) ? 'x' : '4'])}`)
  }
  // Most groups are declared, so that most inventories are ones.
  if (is(0.9)) lines.push(...GROUPS.flatMap((group) => (is(0.995) ? [`[${group}]`] : [])))
  return `${lines.join(one(['\n', '\n', '\r\n']))}\n`
}

const YAML_VALUES = [
  'yes',
  'No',
  'on',
  'y',
  'TRUE',
  '~',
  'null',
  '',
  '0644',
  '0o17',
  '0x1F',
  '0b11',
  '1_000',
  '1:30',
  '190:20:30',
  '190:20:30.15',
  '1e3',
  '1.0e+3',
  '1.5e3',
  '.5',
  '5.',
  '+12',
  '-3',
  '.inf',
  '-.Inf',
  '.nan',
  '2001-01-01',
  '09',
  '0',
  '-0',
  '0_',
  '1__2',
  "'yes'",
  '"0644"',
  '"a\\nb"',
  '!unsafe "{{ x }}"',
  '!!str yes',
  '!!str 12',
  '[1, yes, "x"]',
  '{a: on, b: [1.0]}',
  '|\n    one\n    two',
  '>-\n    one\n    two',
  '!vault |\n    $ANSIBLE_VAULT;1.1;AES256\n    6162',
  '"{{ x }}"',
  'x y',
  'a#b',
  'a # b',
] as const

function variables({ one, upTo }: Chance, indent: string): string {
  const names = new Set(Array.from({ length: 1 + upTo(3) }, () => one(NAMES)))
  return [...names].map((name) => `${indent}${name}: ${one(YAML_VALUES).replaceAll('\n', `\n${indent}`)}\n`).join('')
}

function yamlInventory(chance: Chance): string {
  const { one, is, upTo } = chance
  const group = (name: string, indent: string, depth: number): string => {
    let text = `${indent}${name}:\n`
    const deeper = `${indent}  `
    if (is(0.7)) {
      const hosts = new Set(Array.from({ length: 1 + upTo(3) }, () => one(is(0.05) ? ODD_HOSTS : HOSTS)))
      text += `${deeper}hosts:\n`
      for (const host of hosts) text += `${deeper}  "${host}":\n${is(0.5) ? variables(chance, `${deeper}    `) : ''}`
    } else if (is(0.2)) text += `${deeper}hosts: alone\n`
    if (is(0.5))
      text += `${deeper}vars:\n${variables(chance, `${deeper}  `)}${is(0.2) ? `${deeper}  ansible_group_priority: ${one(['2', '"5"'])}\n` : ''}`
    if (depth < 3 && is(0.6)) {
      const children = new Set(Array.from({ length: 1 + upTo(2) }, () => one(GROUPS)))
      text += `${deeper}children:\n`
      for (const child of children) text += group(child, `${deeper}  `, depth + 1)
    }
    return text
  }
  const tops = new Set([one(['all', 'all', 'web', 'db', 'ungrouped']), one(GROUPS)])
  return `${one(['', '---\n', '# said\n'])}${[...tops].map((name) => group(name, '', 0)).join('')}`
}

/** What lies beside, in every place where Ansible looks, and in some where it does not. */
function beside(chance: Chance): readonly (readonly [string, string])[] {
  const { one, is, upTo } = chance
  const names = [...GROUPS, 'all', 'ungrouped', 'web01', 'web1', 'gate', '10.0.0.1', 'db01.example.com']
  return Array.from({ length: upTo(5) }, () => {
    const name = one(names)
    const folder = is(0.5) ? 'group_vars' : 'host_vars'
    const path = one([
      name,
      `${name}.yml`,
      `${name}.yaml`,
      `${name}.json`,
      `${name}.txt`,
      `${name}/a.yml`,
      `${name}/b`,
      `${name}/.c.yml`,
      `${name}/d.yml~`,
      `${name}/e/f.yml`,
      `${name}/g.d/h.yml`,
    ])
    const text = path.endsWith('.json')
      ? JSON.stringify({ mode: '0644', who: 1e3, list: [true] })
      : `${one(['', '---\n'])}${is(0.1) ? '# nothing\n' : variables(chance, '')}`
    return [`${folder}/${path}`, text] as const
  })
}

function write(directory: string, files: readonly (readonly [string, string])[]): void {
  for (const [name, text] of files) {
    const path = join(directory, name)
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    } catch {
      // A file is where this would be a directory, or the other way round.
    }
  }
}

test.skipIf(needsAnsible)('inventories mean the same as for Ansible (needs ansible-core)', () => {
  const directory = temporaryDirectory()
  const count = cases({ usual: 400, soak: 5000 })
  const paths = Array.from({ length: count }, (_, index) => {
    const chance = chanceFrom(index)
    const name = chance.is(0.5) ? 'hosts.ini' : 'hosts.yml'
    write(join(directory, String(index)), [
      [name, name === 'hosts.ini' ? iniInventory(chance) : yamlInventory(chance)],
      ...beside(chance),
    ])
    return join(directory, String(index), name)
  })
  const theirs = askAnsible(paths)
  let valid = 0
  for (const [index, path] of paths.entries()) {
    const wanted = theirs[index]
    const { meant, why } = meantByUs(path)
    if (wanted !== undefined) valid++
    // Some of what Ansible takes is refused, for a reason; nothing that it refuses is taken.
    if (meant === undefined && wanted !== undefined) expect(`${path}: ${why}`).toMatch(STRICTER)
    else expect(meant, path).toEqual(wanted)
  }
  expect(valid).toBeGreaterThan(count / 4)
})

const STRICTER =
  /already given on line|ends with a colon|a range without any host|is no name|has no children, and is none/

test.skipIf(needsAnsible)('values of INI mean the same as for Ansible (needs ansible-core)', () => {
  const chance = chanceFrom(7)
  const pieces = [
    '1',
    '0',
    '_',
    '.',
    'e',
    '-',
    '+',
    'x',
    "'",
    '"',
    '\\',
    'n',
    'u00e9',
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    ',',
    ':',
    ' ',
    '#',
    'True',
    'None',
    'r',
    'a',
    'j',
  ]
  const texts = Array.from({ length: cases({ usual: 3000, soak: 100_000 }) }, () =>
    Array.from({ length: 1 + chance.upTo(7) }, () => chance.one(pieces))
      .join('')
      .trim(),
  )
  const path = join(temporaryDirectory(), 'hosts.ini')
  writeFileSync(path, `host\n[all:vars]\n${texts.map((text, index) => `v${index} = ${text}\n`).join('')}`)
  const [wanted] = askAnsible([path])
  expect(meantByUs(path).meant?.hosts).toEqual(wanted?.hosts)
})
