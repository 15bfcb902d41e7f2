import { put } from '../../support/contract.ts'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../../src/settings/files.ts'
import type { Effective } from '../../../src/settings/surface.ts'
import { valueOf } from '../../../src/settings/effective.ts'
import { nginxFormat } from '../../../src/settings/nginx/format.ts'
import { nginx } from '../../../src/settings/nginx/index.ts'
import { parseNginx } from '../../../src/settings/nginx/parse.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE, sample } from '../../support/soak.ts'
import { cannotAsk, effectiveOn, type Files, machines, named, truths } from '../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const MAIN = '/etc/nginx/nginx.conf'
const needs = cannotAsk(['nginx', 'curl'], 'root')

function effective(files: Files, key: string): readonly Effective[] {
  const found = effectiveOn(nginx, files, key)
  if (typeof found === 'string') throw new Error(found)
  return found
}

/** Every value by whom it is for. */
function valuesOf(http: string, key: string, others: Files = {}): Readonly<Record<string, string | undefined>> {
  const files = { [MAIN]: `events {}\nhttp {\n${http}\n}\n`, ...others }
  const rules = nginx.rulesOf(nginx.keyOf(key) as { section: string; key: string })
  return Object.fromEntries(effective(files, key).map((each) => [each.scope ?? 'all', valueOf(each, rules)]))
}

const token = fc.constantFrom(...String.raw`a|"b c"|'d;e'|\;|x\ y|"q\"r"|}|;|#c|"open|'s'x|$v|"\n"|"{"|~\d`.split('|'))
const block = fc
  .array(fc.tuple(token, fc.constantFrom(' ', '\n', '')), { maxLength: 6 })
  .map((parts) => `map $uri $m {\n${parts.flat().join('')}\n}\n`)

test.skipIf(needs)(
  named('a text is refused where nginx refuses its words, and ends where it ends for nginx', needs),
  { timeout: PATIENCE },
  () => {
    const all = machines(hostile(block.map((text): Files => ({ '/c': `events {}\nhttp {\n${text}}\n` }))))
    // A map has reasons of its own, blocks within it among them; what is about words alone has these messages.
    const each = "nginx -t -c $PWD/$count/c -g 'pid /dev/null; error_log stderr;' > $count/truth 2>&1"
    let refused = 0
    const wrong = truths(all, { each }).flatMap((said, index) => {
      const text = all[index]?.['/c'] ?? ''
      if (!/unexpected|unterminated|is not terminated/.test(said)) return []
      refused += 1
      // Where the map itself complains first, nginx has not read on.
      return parseNginx(text, 'c').kind === 'unknown' ? [] : [{ text, said }]
    })
    expectAgreement({ reader: 'words of nginx', program: 'nginx', texts: all.length }, wrong)
    expect(refused).toBeGreaterThan(50)
  },
)

const tokens = fc.constantFrom('', 'server_tokens off;', 'server_tokens on;')
const header = fc.constantFrom('', 'add_header X-A 1;', 'add_header X-B 2;', 'add_header X-A 3; add_header X-B 4;')
const level = fc.tuple(tokens, header).map((lines) => lines.join('\n'))
const SERVERS = ['one', 'two']
const web: fc.Arbitrary<Files> = fc
  .tuple(level, fc.tuple(level, level), fc.tuple(level, level))
  .map(([http, servers, locations]) => ({
    [MAIN]: `events {}\nhttp {\n${http}\ninclude sites/*;\n}\n`,
    ...Object.fromEntries(
      SERVERS.map((name, index) => [
        `/etc/nginx/sites/${name}`,
        `server { listen unix:SOCKET; server_name ${name}; ${servers[index]}
          location / { return 204; } location /in { ${locations[index]} return 204; } }`,
      ]),
    ),
  }))

/** What the answer for each path of each server shows of a key. */
function shown(files: Files, key: string): readonly (string | undefined)[] {
  const rules = nginx.rulesOf(nginx.keyOf(key) as { section: string; key: string })
  const all = effective(files, key)
  return SERVERS.flatMap((name) => {
    const server = all.find(({ scope }) => scope?.startsWith(`server ${name} `)) ?? all[0]
    const inner = all.find(({ scope }) => scope?.startsWith(`location /in of server ${name} `)) ?? server
    return [server, inner].map((each) => each && valueOf(each, rules))
  })
}

test.skipIf(needs)(named('servers and locations have what nginx answers with', needs), { timeout: PATIENCE }, () => {
  const all = sample(web, { usual: 60, soak: 2_000 })
  const each = `d=$PWD/$count; sed -i "s|SOCKET|$d/s|" $d/etc/nginx/sites/*
      nginx -c $d/etc/nginx/nginx.conf -g "pid $d/pid; error_log /dev/null;" 2>/dev/null
      curl -s -i --unix-socket $d/s http://one/ http://one/in http://two/ http://two/in > $d/truth
      read -r pid < $d/pid; kill $pid`
  const wrong = truths(all, { each }).flatMap((said, index) => {
    const files = all[index] ?? {}
    const answers = said.trimEnd().split('\r\n\r\n')
    const has = (name: string): readonly string[] =>
      answers.map((answer) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(`${answer}\r`)?.[1] ?? '')
    const versions = has('Server').map((server) => (server.includes('/') ? 'on' : 'off'))
    const theirs = [versions, has('X-A'), has('X-B')]
    const ours = ['server_tokens', 'add_header.X-A', 'add_header.X-B'].map((key) => shown(files, key))
    return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ files, ours, theirs }]
  })
  expectAgreement({ reader: 'directives of nginx', program: 'nginx', texts: all.length }, wrong)
})

test('directives about TLS are about servers that listen with it', () => {
  const servers = 'server { listen 80; server_name a; } server { listen 443 ssl; server_name b; ssl_protocols TLSv1; }'
  expect(valuesOf(`ssl_protocols TLSv1.2;${servers}`, 'ssl_protocols')).toEqual({
    'server b (/etc/nginx/nginx.conf:3)': 'TLSv1',
  })
  expect(valuesOf('ssl_protocols TLSv1.3; server { listen 80; }', 'ssl_protocols')).toEqual({ all: 'TLSv1.3' })
})

test('where each server says something of its own, what http says is for none', () => {
  expect(valuesOf('server_tokens on; server { server_name a; server_tokens off; }', 'server_tokens')).toEqual({
    'server a (/etc/nginx/nginx.conf:3)': 'off',
  })
})

test('a backslash keeps a word together, and stays in it', () => {
  expect(valuesOf(String.raw`add_header X-A a\;b\ c; server {}`, 'add_header.X-A')).toEqual({
    all: String.raw`a\;b\ c`,
  })
})

test('what a map or a list of types says is no directive', () => {
  expect(valuesOf('map $a $b { server_tokens on; } types { autoindex on; } server {}', 'autoindex')).toEqual({
    all: 'off',
  })
})

test.each([
  ['content_by_lua_block { ngx.say("}") }', 'Lua'],
  ['include none.conf;', 'does not exist'],
  ['server_tokens off', 'rejects'],
])('what is not understood, or not there, is unknown: %s', (http, why) => {
  expect(effectiveOn(nginx, { [MAIN]: `events {}\nhttp {\n${http}\n}\n` }, 'server_tokens')).toContain(why)
})

test('directives outside of all blocks have no servers', () => {
  const files = { [MAIN]: 'user www-data;\nevents {}\nhttp { server {} }\n' }
  expect(effective(files, 'user')).toMatchObject([{ winners: [{ value: 'www-data', line: 1 }] }])
})

function written(files: Files, key: string, value: string): readonly [file: string, text: string] {
  const name = { section: '', key }
  const { files: config } = recordFiles(machineOf(files))
  const { file, format, head = '' } = nginx.writes(config, name)
  const place = { ...name, isSame: (other: { key: string }) => other.key === key, which: 'last' as const }
  const edited = format.set(files[file] ?? head, place, [value])
  if (edited.kind === 'refused') throw new Error(edited.reason)
  return [file, edited.text]
}

test('a fix changes the line within http, wherever that is, or adds a file of its own', () => {
  const dropIns = 'events {}\nhttp {\n\tinclude /etc/nginx/conf.d/*.conf;\n}\n'
  const there = {
    [MAIN]: dropIns,
    '/etc/nginx/conf.d/a.conf': 'server { server_tokens on; }\nserver_tokens on; # why\n',
  }
  expect(written(there, 'server_tokens', 'off')).toEqual([
    '/etc/nginx/conf.d/a.conf',
    'server { server_tokens on; }\nserver_tokens off; # why\n',
  ])
  expect(written(there, 'autoindex', 'off')).toEqual([
    '/etc/nginx/conf.d/zz-driftgate.conf',
    '# Written by driftgate.\nautoindex off;\n',
  ])
  expect(written({ [MAIN]: 'http { }\n' }, 'autoindex', 'off')).toEqual([MAIN, 'http {\n\tautoindex off; }\n'])
  expect(written({ [MAIN]: 'http { }\n' }, 'user', 'www-data')).toEqual([MAIN, 'user www-data;\nhttp { }\n'])
  expect(written({ [MAIN]: 'http { }\n' }, 'add_header.x-a', 'b; c always')[1]).toContain(
    'add_header x-a "b; c" always;',
  )
})

test('what could not be written is refused, and what is taken out leaves the rest', () => {
  const place = {
    section: '',
    key: 'autoindex',
    isSame: ({ key }: { key: string }) => key === 'autoindex',
    which: 'last' as const,
  }
  expect(nginxFormat.set('', place, ['a;b']).kind).toBe('refused')
  expect(nginxFormat.set('}', place, ['on']).kind).toBe('refused')
  expect(nginxFormat.remove('}', place).kind).toBe('refused')
  expect(nginxFormat.remove('http { autoindex on; gzip on; }', place)).toEqual({
    kind: 'edited',
    text: 'http {  gzip on; }',
  })
})

test.skipIf(needs)(named('nginx reads all of a configuration with a candidate in it', needs), () => {
  const directory = temporaryDirectory()
  const files: Files = {
    [MAIN]: 'events {}\nhttp {\n include /etc/nginx/conf.d/*.conf;\n}\n',
    '/etc/nginx/conf.d/a.conf': 'server { listen unix:/nowhere; }\n',
    '/usr/sbin/nginx': '',
  }
  put(directory, files)
  const { files: config } = recordFiles(machineOf(files))
  const { check } = nginx.writes(config, { section: '', key: 'server_tokens' })
  const judged = (text: string): number | null => {
    const candidate = join(directory, 'candidate')
    writeFileSync(candidate, text)
    const argv = check?.(candidate) ?? []
    const quoted = argv.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
    return spawnSync('unshare', ['--mount', 'sh', '-c', `mount --bind ${directory}/etc/nginx /etc/nginx && ${quoted}`])
      .status
  }
  expect(judged('server_tokens off;\n')).toBe(0)
  expect(judged('server_tokens maybe;\n')).not.toBe(0)
  expect(judged('no_such_directive on;\n')).not.toBe(0)
  expect(execFileSync('ls', ['-A', `${directory}/etc/nginx`], { encoding: 'utf8' })).toBe('conf.d\nnginx.conf\n')
})
