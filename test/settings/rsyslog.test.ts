import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rsyslog } from '../../src/settings/rsyslog.ts'
import { cannotAsk, effectiveOn, type Files, named, truths, valueOn } from '../support/surface-oracle.ts'
import { hostile } from '../support/hostile-files.ts'
import { expectAgreement } from '../support/proof.ts'
import { PATIENCE, sample } from '../support/soak.ts'

const MAIN = '/etc/rsyslog.conf'

function lists(text: string, others: Files = {}): readonly (string | undefined)[] {
  return ['modules', 'inputs'].map((key) => valueOn(rsyslog, { [MAIN]: text, ...others }, key))
}

test.each([
  ['', '', ''],
  ['module(load="imtcp")\n', 'imtcp', ''],
  ['module(load="builtin:omfile" Template="x")\n', 'builtin:omfile', ''],
  ['MODULE ( \n# c )\n LOAD = "imtcp" /* ) */ streamdriver.name="gtls" )\n', 'imtcp', ''],
  ['$ModLoad imtcp # x\n$modload /usr/lib/rsyslog/imudp.so\n', 'imtcp imudp', ''],
  ['mod\\\n  ule(load="imudp")\n# not \\  \nmodule(load="imtcp")\n', 'imudp', ''],
  ['/* module(load="imtcp")\n$ModLoad imtcp */ module(load="imklog")\n', 'imklog', ''],
  ['*.* /var/log/x module(load="imtcp")\n', '', ''],
  ['if $msg contains "then module(load=" then { stop }\nmodule(load="imudp")\n', 'imudp', ''],
  ['module(load="imtcp" config.enabled="off")\nmodule(load="imudp" config.enabled="on")\n', 'imudp', ''],
  ['input(type="imudp" port="514")\ninput(type="IMTCP")\n', '', 'imudp imtcp'],
  ['$InputTCPServerRun 514\n$UDPSERVERRUN 514\n$InputRELPServerRun 20514\n', '', 'imtcp imudp imrelp'],
  ['ruleset(name="a"){ action(type="omfile" file="/x") }\n$ModLoad imptcp\n', 'imptcp', ''],
  [':msg, contains, "module(load=" ~\n& stop\nmodule(load="imudp")', 'imudp', ''],
])('%j loads %j and opens %j', (text, modules, inputs) => {
  expect(lists(text)).toEqual([modules, inputs])
})

test.each([
  ['with its parameters in any order', 'include(mode="optional" file="/etc/r.d/*.conf")'],
  ['over several lines', 'include(\n  file="/etc/r.d/*.conf"\n  mode="optional"\n)'],
  ['behind something else', 'module(load="imuxsock") include(file="/etc/r.d/*.conf")'],
])('a directive is found in a file included %s', (_name, include) => {
  const files = {
    [MAIN]: `$FileCreateMode 0640\n${include}\n*.* /var/log/x\n`,
    '/etc/r.d/a.conf': '$FileCreateMode 0666\n',
  }
  expect(valueOn(rsyslog, files, '$FileCreateMode')).toBe('0666')
})

test('of a directory all is included, with a slash or without', () => {
  const others = { '/etc/r.d/a': '$ModLoad a\n', '/etc/r.d/b/c': '$ModLoad c\n' }
  for (const pattern of ['/etc/r.d', '/etc/r.d/', '/etc/r.*'])
    expect(lists(`include(file="${pattern}")\n`, others)).toEqual(['a c', ''])
})

test('files that are included stand in their place', () => {
  const text =
    'module(load="a")\ninclude(\n file="/etc/r.d/*.conf"\n mode="optional")\n$IncludeConfig /etc/one\nmodule(load="z")'
  const others = {
    '/etc/r.d/2.conf': '$InputTCPServerRun 1\n',
    '/etc/r.d/1.conf': 'module(load="b")',
    '/etc/one': '$ModLoad c',
  }
  expect(lists(text, others)).toEqual(['a b c z', 'imtcp'])
})

test.each([
  'module(load=`echo $X`)\n',
  'module(load="im\\164cp")\n',
  'module(load=["imtcp"] load="imudp")\n',
  'module(name="imtcp")\n',
  'module(load="im tcp")\n',
  'module(load="imtcp" config.enabled=`echo $X`)\n',
  'module(load="imtcp"\n',
  'input(type="a b")\n',
  'include(text="module(load=\\"imtcp\\")")\n',
  'include(file="relative.conf")\n',
  '$IncludeConfig relative.conf\n',
  '$IncludeConfigs /etc/x\n',
  '$ModLoad imtcp#x\n',
  '$IncludeConfig /etc/rsyslog.conf\n',
  'module(load="imklog")\r\n)\n',
])('%j is not clear', (text) => {
  expect(lists(text)).toEqual([expect.stringMatching(/^unknown: /), expect.stringMatching(/^unknown: /)])
})

test('a long comment is one, and so is one without an end', () => {
  const long = `/* ${'x\n*'.repeat(200_000)} */ module(load="imtcp")\n/* module(load="imudp")\n`
  expect(lists(long)).toEqual(['imtcp', ''])
})

test('the effective value names its line', () => {
  const effective = effectiveOn(rsyslog, { [MAIN]: '\nmod\\\nule(\nload="imtcp")\n' }, 'modules')
  expect(effective).toMatchObject([{ winners: [{ file: MAIN, line: 2, value: 'imtcp' }] }])
})

// Of rsyslogd 8.2302, which creates the file of such an action with 0644.
test.each([
  ['*.* /a', [[undefined, '0640']]],
  [
    '*.* /a\naction(type="omfile" file="/b")\naction(type="omfile" file="/c")',
    [
      [undefined, '0640'],
      [`action(type="omfile") from ${MAIN}:3`, undefined],
    ],
  ],
  ['action(type="omfwd" target="a")', [[undefined, '0640']]],
])('a directive does not apply to actions in advanced syntax: %j', (text, expected) => {
  const effective = effectiveOn(rsyslog, { [MAIN]: `$FileCreateMode 0640\n${text}\n` }, '$FileCreateMode')
  expect(
    typeof effective === 'string' ? effective : effective.map(({ scope, winners }) => [scope, winners[0]?.value]),
  ).toEqual(expected)
})

test('a directive before $ResetConfigVariables is not clear', () => {
  const text = '$FileCreateMode 0640\n$ResetConfigVariables\n*.* /a\n'
  expect(effectiveOn(rsyslog, { [MAIN]: text }, '$FileCreateMode')).toMatch(/:2: it resets the directives before it$/)
})

const piece = fc.constantFrom(
  'module(load="imtcp")',
  'module(load="imudp" TimeRequery="4")',
  'Module (\n\tLoad="imptcp"\n)',
  'module(load="imklog" config.enabled="off")',
  'module(load="impstats" config.enabled="on")',
  '$ModLoad imudp',
  '$modload imtcp.so # x',
  '$ModLoad \\\n   immark',
  'mo\\ \ndule(load="imkmsg")',
  'input(type="imudp" port="5140")',
  'input(\n type="imtcp" # )\n port="5141")',
  '$InputTCPServerRun 5142',
  '$UDPServerRun 5143',
  '# module(load="imtcp")',
  '# \\\nmodule(load="imtcp")',
  '/* module(load="imtcp")\n$ModLoad imudp */',
  '/* x */ module(load="imfile") /* y */',
  '*.* /tmp/x module(load="imtcp")',
  'mail.*;auth,cron.info -/tmp/y',
  '& stop',
  ':msg, contains, "module(load=" stop',
  'if $msg contains "x then module(" or $syslogseverity <= 3 then { action(type="omfile" file="/tmp/z") }',
  "if ($msg == '\"') then stop else /tmp/q",
  'set $.x = "module(load=";',
  'ruleset(name="r1") { /tmp/w\n}',
  'template(name="t1" type="string" string="module(load=\\"imtcp\\")\\n")',
  'global(workDirectory="/tmp")',
  '$FileCreateMode 0640',
  '{ $ModLoad imtcp\n}',
  'module(load="imtcp"',
  'include(file="ROOT/etc/d/*.conf")',
  'include(file="ROOT/etc/d")',
  'input(type="ImTCP" port="5144")',
  '$IncludeConfig ROOT/etc/d/*.conf # module(load="imtcp")',
  '',
)
const text = fc.array(piece, { maxLength: 7 }).map((pieces) => `${pieces.join('\n')}\n`)
const configurations = fc
  .tuple(text, fc.dictionary(fc.constantFrom('/etc/d/a.conf', '/etc/d/B.conf', '/etc/d/c.txt'), text, { maxKeys: 2 }))
  .map(([main, others]): Files => {
    const plain = Object.entries(others).map(([path, each]) => [path, each.replaceAll('ROOT/etc/d', '/nowhere')])
    return { ...Object.fromEntries(plain), [MAIN]: main }
  })

const needs = cannotAsk(['rsyslogd', 'awk'])

/** What rsyslogd tells of its reading, without the modules that modules load themselves. */
const TOLD = String.raw`awk -F"'" '/Requested to load module/ && $2 !~ /^lm/ { print "modules " $2 }
/cnf:global:obj: obj:/ { of = $2 }
/name: .type., value/ && of == "input" { print "inputs " tolower($4); of = "" }
tolower($0) ~ /cfsysline: .(inputtcpserverrun|udpserverrun)/ { print "inputs " (tolower($0) ~ /tcp/ ? "imtcp" : "imudp") }'`

test.skipIf(needs)(
  named('rsyslogd loads the modules and opens the files that driftgate reads', needs),
  { timeout: PATIENCE },
  () => {
    const all = sample(hostile(configurations), { usual: 300, soak: 10_000 })
    const told = truths(all, {
      moved: (text, root) => text.replaceAll('ROOT', root),
      each: `rsyslogd -dN1 -f $PWD/$count/etc/rsyslog.conf 2> $count/err | ${TOLD} > $count/truth
grep -q 'syntax error\\|error during parsing' $count/err && echo stopped >> $count/truth || true`,
    })
    const compared = all.map((each, index) => {
      const files = Object.fromEntries(Object.entries(each).map(([path, one]) => [path, one.replaceAll('ROOT', '')]))
      const truth = (told[index] ?? '').trim().split('\n')
      const isWhole = !truth.includes('stopped')
      const wrong = ['modules', 'inputs'].filter((key) => {
        const ours = valueOn(rsyslog, files, key)
        if (ours?.startsWith('unknown: ') !== false) return false
        const theirs = truth.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []))
        const names = theirs.map((name) => name.replace(/\.so$/, ''))
        // What it reads no further than an error may be more for us, and never less.
        return isWhole ? ours !== names.join(' ') : names.some((name) => !ours.split(' ').includes(name))
      })
      const isClear = valueOn(rsyslog, files, 'modules')?.startsWith('unknown: ') === false
      return { files, truth, isWhole, isClear, wrong }
    })
    const differences = compared.filter(({ wrong }) => wrong.length > 0)
    expectAgreement({ reader: 'rsyslog.conf', program: 'rsyslogd', texts: all.length }, differences)
    const both = compared.filter(({ isWhole, isClear }) => isWhole && isClear).length
    expect(both).toBeGreaterThan(100)
    expect(compared.filter(({ isWhole, isClear }) => isWhole && !isClear).length).toBeLessThan(all.length / 20)
  },
)
