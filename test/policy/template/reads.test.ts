import { expect, test } from 'vitest'
import { readsOfJet } from '../../../src/policy/template/jet-reads.ts'
import { type Read, readsOfSource, readsOfString } from '../../../src/policy/template/reads.ts'

function show(read: Read): string {
  switch (read.kind) {
    case 'member':
      return [read.root, ...read.path].join('/')
    case 'lookup':
      return `lookup ${read.path}${read.hasDefault ? ' or default' : ''}`
    case 'file':
      return `${read.use} ${read.path}`
    case 'computed':
      return `computed ${read.function}`
  }
}

test.each<[expression: string, reads: readonly string[]]>([
  ['1 + 2', []],
  ['Data', ['Data']],
  ['Data.log.level', ['Data/log/level']],
  ['Data["log"].level', ['Data/log/level']],
  ['Data?.log?.level ?? "info"', ['Data/log/level']],
  ['Data.servers[0].name', ['Data/servers/0/name']],
  ['Data.servers[1:2]', ['Data/servers']],
  ['Data[Facts.role]', ['Data', 'Facts/role']],
  ['get(Data, "port")', ['Data/port']],
  ['get(get(Data, "log"), "level")', ['Data/log/level']],
  ['$env.Data.port', ['Data/port']],
  ['$env["Facts"].role', ['Facts/role']],
  ['keys($env)', ['computed $env']],
  ['Environ.HOME + WorkingDir', ['Environ/HOME', 'WorkingDir']],
  ['filter(Data.users, .uid > Data.least)', ['Data/users', 'Data/least']],
  ['Data.users | map(.name) | join(Data.between)', ['Data/users', 'Data/between']],
  ['let x = Data.a; x + Data.b', ['Data/a', 'Data/b']],
  ['Data.a ? Facts.b : {"c": Environ.D}["c"]', ['Data/a', 'Facts/b', 'Environ/D']],
  ['Data.a == Data.a', ['Data/a']],
  ['lookup("data.port")', ['lookup data.port']],
  ['lookup("facts.a.#.b", Data.c)', ['lookup facts.a.#.b or default', 'Data/c']],
  ['lookup("data." + Facts.role)', ['computed lookup', 'Facts/role']],
  ['readFile("motd") + file("issue")', ['text motd', 'text issue']],
  ["fileExists('/etc/ssh')", ['existence /etc/ssh']],
  ['template("a.templ") + template("b.jet") + jet("c.jet")', ['template a.templ', 'jet b.jet', 'jet c.jet']],
  ['template("{{ Data.inner }}")', ['Data/inner']],
  ['jet("[[ data.x ]]")', ['computed jet']],
  ['template(Data.text)', ['computed template', 'Data/text']],
  ['Resources["file#/etc/motd"].owner', ['Resources/file#/etc/motd/owner']],
  ['lookup("resources.motd.uid")', ['lookup resources.motd.uid']],
  ['upper("Data.x")', []],
  ['broken (', []],
])('%s reads %j', (expression, reads) => {
  expect(readsOfSource(expression).map(show)).toEqual(reads)
})

test('a string has the reads of its expressions, each once', () => {
  expect(readsOfString('{{ Data.a }} of ${ Data.b } and {{ Data.a }}, $${ Data.c }').map(show)).toEqual([
    'Data/a',
    'Data/b',
  ])
  expect(readsOfString('Data.a')).toEqual([])
})

test.each<[template: string, reads: readonly string[]]>([
  ['text data.x', []],
  ['[[ data.log.level ]]', ['Data/log/level']],
  ['[[ Facts.host["os"].name ]]', ['Facts/host/os/name']],
  ['[[ Data ]]', ['Data']],
  [
    '[[ if data.on ]][[ environ.HOME ]][[ else ]][[ lookup("facts.role", "none") ]][[ end ]]',
    ['Data/on', 'Environ/HOME', 'lookup facts.role or default'],
  ],
  ['[[ range i, s := data.servers ]][[ s ]] [[ data.port ]][[ end ]]', ['Data/servers', 'Data/port']],
  ['[[ lookup("data.a") | upper ]]', ['lookup data.a']],
  ['[[ lookup: "data.a" ]]', ['lookup data.a']],
  ['[[ x := "data.a" ]][[ lookup(x) ]]', ['computed lookup']],
  ['[[ .Data.port ]]', ['Data/port']],
  ['[[ broken', []],
])('the Jet template %s reads %j', (template, reads) => {
  expect([...new Set(readsOfJet(template).map(show))]).toEqual(reads)
})
