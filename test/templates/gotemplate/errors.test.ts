import { expect, test } from 'vitest'
import { DATA, errorOf } from './render.ts'

// Messages are those of Go's text/template. The place in a message is line and byte column; the offset is checked
// against it.
const EVALUATION: readonly (readonly [template: string, message: string])[] = [
  ['{{ .port 1 }}', 'template: t:1:3: executing "t" at <.port>: port is not a method but has arguments'],
  ['{{ .user.name "x" }}', 'template: t:1:8: executing "t" at <.user.name>: name is not a method but has arguments'],
  ['{{ "x" | .port }}', 'template: t:1:9: executing "t" at <.port>: port is not a method but has arguments'],
  ['{{ nil }}', 'template: t:1:3: executing "t" at <nil>: nil is not a command'],
  ['{{ 1 2 }}', 'template: t:1:3: executing "t" at <1>: can\'t give argument to non-function 1'],
  ['{{ 3 | 4 }}', 'template: t:1: non executable command in pipeline stage 2'],
  [
    '{{ index .nums 9 }}',
    'template: t:1:3: executing "t" at <index .nums 9>: error calling index: index out of range: 9',
  ],
  [
    '{{ index .nums "a" }}',
    'template: t:1:3: executing "t" at <index .nums "a">: error calling index: cannot index slice/array with type string',
  ],
  [
    '{{ index .none 1 }}',
    'template: t:1:3: executing "t" at <index .none 1>: error calling index: index of untyped nil',
  ],
  [
    '{{ index .user 1 }}',
    'template: t:1:3: executing "t" at <index .user 1>: error calling index: value has type int; should be string',
  ],
  [
    '{{ index .port 1 }}',
    'template: t:1:3: executing "t" at <index .port 1>: error calling index: can\'t index item of type int',
  ],
  [
    '{{ index .nums nil }}',
    'template: t:1:3: executing "t" at <index .nums nil>: error calling index: cannot index slice/array with nil',
  ],
  [
    '{{ slice .nums 2 1 }}',
    'template: t:1:3: executing "t" at <slice .nums 2 1>: error calling slice: invalid slice index: 2 > 1',
  ],
  [
    '{{ slice .host 1 2 3 }}',
    'template: t:1:3: executing "t" at <slice .host 1 2 3>: error calling slice: cannot 3-index slice a string',
  ],
  [
    '{{ slice .port }}',
    'template: t:1:3: executing "t" at <slice .port>: error calling slice: can\'t slice item of type int',
  ],
  ['{{ slice .none }}', 'template: t:1:3: executing "t" at <slice .none>: error calling slice: slice of untyped nil'],
  [
    '{{ slice .nums 1 2 3 4 }}',
    'template: t:1:3: executing "t" at <slice .nums 1 2 3 4>: error calling slice: too many slice indexes: 4',
  ],
  [
    '{{ slice .nums 0 3 1 }}',
    'template: t:1:3: executing "t" at <slice .nums 0 3 1>: error calling slice: invalid slice index: 3 > 1',
  ],
  ['{{ len 3 }}', 'template: t:1:3: executing "t" at <len 3>: error calling len: len of type int'],
  ['{{ len .none }}', 'template: t:1:3: executing "t" at <len .none>: error calling len: len of nil pointer'],
  [
    '{{ eq 1 "a" }}',
    'template: t:1:3: executing "t" at <eq 1 "a">: error calling eq: incompatible types for comparison: int and string',
  ],
  [
    '{{ eq 1 1.0 }}',
    'template: t:1:3: executing "t" at <eq 1 1.0>: error calling eq: incompatible types for comparison: int and float64',
  ],
  ['{{ eq 1 }}', 'template: t:1:3: executing "t" at <eq 1>: error calling eq: missing argument for comparison'],
  [
    '{{ lt true false }}',
    'template: t:1:3: executing "t" at <lt true false>: error calling lt: invalid type for comparison',
  ],
  [
    '{{ lt 1 "a" }}',
    'template: t:1:3: executing "t" at <lt 1 "a">: error calling lt: incompatible types for comparison: int and string',
  ],
  ['{{ lt .nums 1 }}', 'template: t:1:3: executing "t" at <lt .nums 1>: error calling lt: invalid type for comparison'],
  [
    '{{ gt 1 "a" }}',
    'template: t:1:3: executing "t" at <gt 1 "a">: error calling gt: incompatible types for comparison: int and string',
  ],
  ['{{ range .host }}{{ end }}', 'template: t:1:9: executing "t" at <.host>: range can\'t iterate over web01'],
  ['{{ range .on }}{{ end }}', 'template: t:1:9: executing "t" at <.on>: range can\'t iterate over true'],
  [
    '{{ range $a, $b := 3 }}{{ end }}',
    'template: t:1:19: executing "t" at <3>: can\'t use 3 to iterate over more than one variable',
  ],
  ['{{ template "nope" }}', 'template: t:1:12: executing "t" at <{{template "nope"}}>: template "nope" not defined'],
  ['{{ call nil }}', 'template: t:1:3: executing "t" at <call nil>: error calling call: call of nil'],
  ['{{ printf 1 }}', 'template: t:1:10: executing "t" at <1>: expected string; found 1'],
  ['{{ printf nil }}', 'template: t:1:10: executing "t" at <nil>: cannot assign nil to string'],
  [
    '{{ printf .none }}',
    'template: t:1:10: executing "t" at <.none>: wrong type for value; expected string; got interface {}',
  ],
  ['{{ printf .missing }}', 'template: t:1:10: executing "t" at <.missing>: invalid value; expected string'],
  ['{{ not }}', 'template: t:1:3: executing "t" at <not>: wrong number of args for not: want 1 got 0'],
  ['{{ ne 1 }}', 'template: t:1:3: executing "t" at <ne>: wrong number of args for ne: want 2 got 1'],
  ['{{ len }}', 'template: t:1:3: executing "t" at <len>: wrong number of args for len: want 1 got 0'],
  [
    '{{ 0x8000000000000000 }}',
    'template: t:1:3: executing "t" at <0x8000000000000000>: 0x8000000000000000 overflows int',
  ],
  ['{{ (nil).x }}', 'template: t:1:4: executing "t" at <nil>: nil is not a command'],
  ['{{ nil.x }}', 'template: t:1: unexpected . after term "nil"'],
  ['{{ .none.x }}', 'template: t:1:8: executing "t" at <.none.x>: nil pointer evaluating interface {}.x'],
  [
    'ab\ncd {{ index .nums 9 }}',
    'template: t:2:6: executing "t" at <index .nums 9>: error calling index: index out of range: 9',
  ],
  [
    'é\né{{ index .nums 9 }}',
    'template: t:2:5: executing "t" at <index .nums 9>: error calling index: index out of range: 9',
  ],
  [
    '{{ define "d" }}{{ len 3 }}{{ end }}{{ template "d" }}',
    'template: t:1:19: executing "d" at <len 3>: error calling len: len of type int',
  ],
]

const SPRIG: readonly (readonly [template: string, message: string])[] = [
  ['{{ fail "boom" }}', 'template: t:1:3: executing "t" at <fail "boom">: error calling fail: boom'],
  [
    '{{ div 1 0 }}',
    'template: t:1:3: executing "t" at <div 1 0>: error calling div: runtime error: integer divide by zero',
  ],
  [
    '{{ mod 1 "x" }}',
    'template: t:1:3: executing "t" at <mod 1 "x">: error calling mod: runtime error: integer divide by zero',
  ],
  ['{{ upper 5 }}', 'template: t:1:9: executing "t" at <5>: expected string; found 5'],
  ['{{ upper nil }}', 'template: t:1:9: executing "t" at <nil>: cannot assign nil to string'],
  ['{{ repeat "a" "b" }}', 'template: t:1:10: executing "t" at <"a">: expected integer; found "a"'],
  [
    '{{ repeat -1 "b" }}',
    'template: t:1:3: executing "t" at <repeat -1 "b">: error calling repeat: strings: negative Repeat count',
  ],
  ['{{ ternary 1 2 3 }}', 'template: t:1:15: executing "t" at <3>: expected bool; found 3'],
  [
    '{{ ternary 1 2 .port }}',
    'template: t:1:15: executing "t" at <.port>: wrong type for value; expected bool; got int',
  ],
  ['{{ first 5 }}', 'template: t:1:3: executing "t" at <first 5>: error calling first: Cannot find first on type int'],
  [
    '{{ concat 5 }}',
    'template: t:1:3: executing "t" at <concat 5>: error calling concat: Cannot concat type int as list',
  ],
  [
    '{{ get (list) "a" }}',
    'template: t:1:8: executing "t" at <list>: wrong type for value; expected map[string]interface {}; got []interface {}',
  ],
  [
    '{{ set nil "a" 1 }}',
    'template: t:1:3: executing "t" at <set nil "a" 1>: error calling set: assignment to entry in nil map',
  ],
  [
    '{{ regexFind "(" "x" }}',
    'template: t:1:3: executing "t" at <regexFind "(" "x">: error calling regexFind: regexp: Compile(`(`): error parsing regexp: missing closing ): `(`',
  ],
  [
    '{{ mustFromJson "{" }}',
    'template: t:1:3: executing "t" at <mustFromJson "{">: error calling mustFromJson: unexpected end of JSON input',
  ],
  [
    '{{ semver "x" }}',
    'template: t:1:3: executing "t" at <semver "x">: error calling semver: Invalid Semantic Version',
  ],
  [
    '{{ semver "1.2.3-01" }}',
    'template: t:1:3: executing "t" at <semver "1.2.3-01">: error calling semver: Version segment starts with 0',
  ],
  [
    '{{ semverCompare "foo" "1" }}',
    'template: t:1:3: executing "t" at <semverCompare "foo" "1">: error calling semverCompare: improper constraint: foo',
  ],
  [
    '{{ semverCompare ">1" "x" }}',
    'template: t:1:3: executing "t" at <semverCompare ">1" "x">: error calling semverCompare: Invalid Semantic Version',
  ],
  [
    '{{ mustToDate "2006" "x" }}',
    'template: t:1:3: executing "t" at <mustToDate "2006" "x">: error calling mustToDate: parsing time "x" as "2006": cannot parse "x" as "2006"',
  ],
  [
    '{{ mustToDate "2006-01-02" "2024-13-01" }}',
    'template: t:1:3: executing "t" at <mustToDate "2006-01-02" "2024-13-01">: error calling mustToDate: parsing time "2024-13-01": month out of range',
  ],
  [
    '{{ mustToDate "2006" "2024x" }}',
    'template: t:1:3: executing "t" at <mustToDate "2006" "2024x">: error calling mustToDate: parsing time "2024x": extra text: "x"',
  ],
  [
    '{{ mustDateModify "x" (toDate "2006" "2024") }}',
    'template: t:1:3: executing "t" at <mustDateModify "x" (toDate "2006" "2024")>: error calling mustDateModify: time: invalid duration "x"',
  ],
  ['{{ unixEpoch 5 }}', 'template: t:1:13: executing "t" at <5>: can\'t handle 5 for arg of type time.Time'],
  [
    '{{ urlParse "http://[::1" }}',
    'template: t:1:3: executing "t" at <urlParse "http://[::1">: error calling urlParse: unable to parse url: parse "http://[::1": missing \']\' in host',
  ],
  [
    '{{ urlParse ":x" }}',
    'template: t:1:3: executing "t" at <urlParse ":x">: error calling urlParse: unable to parse url: parse ":x": missing protocol scheme',
  ],
  [
    '{{ urlParse "a/%zz" }}',
    'template: t:1:3: executing "t" at <urlParse "a/%zz">: error calling urlParse: unable to parse url: parse "a/%zz": invalid URL escape "%zz"',
  ],
  [
    '{{ urlJoin (dict "userinfo" "a b") }}',
    'template: t:1:3: executing "t" at <urlJoin (dict "userinfo" "a b")>: error calling urlJoin: unable to parse userinfo in dict: parse "proto://a b@host": net/url: invalid userinfo',
  ],
  [
    '{{ urlParse "http://h:x" }}',
    'template: t:1:3: executing "t" at <urlParse "http://h:x">: error calling urlParse: unable to parse url: parse "http://h:x": invalid port ":x" after host',
  ],
  [
    '{{ urlParse "http://a b/" }}',
    'template: t:1:3: executing "t" at <urlParse "http://a b/">: error calling urlParse: unable to parse url: parse "http://a b/": invalid character " " in host name',
  ],
  [
    '{{ urlJoin (dict "host" 1) }}',
    'template: t:1:3: executing "t" at <urlJoin (dict "host" 1)>: error calling urlJoin: unable to parse host key, must be of type string, but int found',
  ],
  [
    '{{ dig "a" 5 }}',
    'template: t:1:3: executing "t" at <dig "a" 5>: error calling dig: dig needs at least three arguments',
  ],
  [
    '{{ dig "a" "b" "d" (dict "a" 5) }}',
    'template: t:1:3: executing "t" at <dig "a" "b" "d" (dict "a" 5)>: error calling dig: interface conversion: interface {} is int, not map[string]interface {}',
  ],
  ['{{ divf 1 0 }}', 'template: t:1:3: executing "t" at <divf 1 0>: error calling divf: decimal division by 0'],
  [
    '{{ slice (list 1) 2 1 }}',
    'template: t:1:3: executing "t" at <slice (list 1) 2 1>: error calling slice: reflect.Value.Slice: slice index out of bounds',
  ],
  [
    '{{ substr 3 1 "abcdef" }}',
    'template: t:1:3: executing "t" at <substr 3 1 "abcdef">: error calling substr: runtime error: slice bounds out of range [3:1]',
  ],
  [
    '{{ toRawJson (float64 "nan") }}',
    'template: t:1:3: executing "t" at <toRawJson (float64 "nan")>: error calling toRawJson: json: unsupported value: NaN',
  ],
  [
    '{{ mustToJson (float64 "inf") }}',
    'template: t:1:3: executing "t" at <mustToJson (float64 "inf")>: error calling mustToJson: json: unsupported value: +Inf',
  ],
  ['{{ round 1 }}', 'template: t:1:3: executing "t" at <round>: wrong number of args for round: want at least 2 got 1'],
  [
    '{{ deepCopy nil }}',
    'template: t:1:3: executing "t" at <deepCopy nil>: error calling deepCopy: reflect: call of reflect.Value.Type on zero Value',
  ],
  [
    '{{ addf (float64 "nan") 1 }}',
    'template: t:1:3: executing "t" at <addf (float64 "nan") 1>: error calling addf: Cannot create a Decimal from NaN',
  ],
  ['{{ until "x" }}', 'template: t:1:9: executing "t" at <"x">: expected integer; found "x"'],
  [
    '{{ indent -1 "a" }}',
    'template: t:1:3: executing "t" at <indent -1 "a">: error calling indent: strings: negative Repeat count',
  ],
  [
    '{{ without 5 1 }}',
    'template: t:1:3: executing "t" at <without 5 1>: error calling without: Cannot find without on type int',
  ],
  ['{{ has 1 5 }}', 'template: t:1:3: executing "t" at <has 1 5>: error calling has: Cannot find has on type int'],
  ['{{ uniq 5 }}', 'template: t:1:3: executing "t" at <uniq 5>: error calling uniq: Cannot find uniq on type int'],
  [
    '{{ urlParse "http://u^@h/" }}',
    'template: t:1:3: executing "t" at <urlParse "http://u^@h/">: error calling urlParse: unable to parse url: parse "http://u^@h/": net/url: invalid userinfo',
  ],
  [
    '{{ urlParse "http://x[1]" }}',
    'template: t:1:3: executing "t" at <urlParse "http://x[1]">: error calling urlParse: unable to parse url: parse "http://x[1]": invalid IP-literal',
  ],
  [
    '{{ urlParse "http://h%41/" }}',
    'template: t:1:3: executing "t" at <urlParse "http://h%41/">: error calling urlParse: unable to parse url: parse "http://h%41/": invalid URL escape "%41"',
  ],
  [
    '{{ urlParse "1:b" }}',
    'template: t:1:3: executing "t" at <urlParse "1:b">: error calling urlParse: unable to parse url: parse "1:b": first path segment in URL cannot contain colon',
  ],
]
/** The offset of the place in a message of the form `template: t:LINE:COLUMN: …`. */
function offsetIn(template: string, message: string): number | undefined {
  const match = /^template: t:(\d+):(\d+): /.exec(message)
  if (match === null) return undefined
  const lines = template.split('\n')
  const line = Number(match[1]) - 1
  const before = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0)
  return (
    before +
    Buffer.from(lines[line] ?? '')
      .subarray(0, Number(match[2]))
      .toString().length
  )
}

test.each(EVALUATION)('evaluation error: %s', (template, message) => {
  const error = errorOf(template, DATA, { library: 'builtin' })
  expect(error.message).toBe(message)
  expect(error.offset).toBe(offsetIn(template, message) ?? error.offset)
  expect(error.offset).toBeTypeOf('number')
})

test.each(SPRIG)('sprig error: %s', (template, message) => {
  const error = errorOf(template, DATA)
  expect(error.message).toBe(message)
  expect(error.offset).toBe(offsetIn(template, message))
})

// Go names the line only; the offset is that of the culprit.
test.each([
  ['{{', 'unclosed action', 2],
  ['ab {{ .x', 'unclosed action', 8],
  ['{{ range }}', 'missing value for range', 9],
  ['{{}}', 'missing value for command', 2],
  ['{{ end }}', 'unexpected {{end}}', 3],
  ['{{ else }}', 'unexpected {{else}}', 3],
  ['{{ if 1 }}x', 'unexpected EOF', 11],
  ['{{ nope }}', 'function "nope" not defined', 3],
  ['{{ $x }}', 'undefined variable "$x"', 3],
  ['{{ break }}', '{{break}} outside {{range}}', 3],
  ['{{ continue 1 }}', 'unexpected "1" in {{continue}}', 12],
  ['{{ "a\\q" }}', 'invalid syntax', 3],
  ["{{ '' }}", "malformed character constant: ''", 3],
  ["{{ '\\'x' }}", "malformed character constant: '\\'x'", 3],
  ['{{ 08 }}', 'integer overflow: "08"', 3],
  ['{{ 1__0 }}', 'illegal number syntax: "1__0"', 3],
  ['{{ 1_.5 }}', 'illegal number syntax: "1_.5"', 3],
  ['{{ 3k }}', 'bad number syntax: "3k"', 3],
  ['{{ 1+2 }}', 'bad number syntax: "1+2"', 3],
  ['{{ true.x }}', 'unexpected . after term "true"', 7],
  ['{{ print 1 | 2 }}', 'non executable command in pipeline stage 2', 13],
  ['{{ ( ) }}', 'missing value for parenthesized pipeline', 5],
  ['{{ (1 }}', 'unclosed left paren', 6],
  ['{{ 1) }}', 'unexpected ")" in command', 4],
  ['{{ template x }}', 'unexpected "x" in template clause', 12],
  ['{{ define x }}{{ end }}', 'unexpected "x" in define clause', 10],
  ['{{ define "x" }}{{ else }}{{ end }}', 'unexpected {{else}} in define clause', 19],
  ['{{ block "x" }}{{ end }}', 'missing value for block clause', 13],
  ['{{ if 1 }}{{ else }}{{ else }}{{ end }}', 'expected end; found {{else}}', 23],
  ['{{ with $a, $b := 1 }}{{ end }}', 'too many declarations in with', undefined],
  ['{{ range $a, 1 := 1 }}{{ end }}', 'range can only initialize variables', undefined],
  ['{{ print 1, 2 }}', 'unexpected "," in operand', 10],
  ['{{ 1:b }}', 'expected :=', 4],
  ['{{ \u0001 }}', 'unrecognized character in action: U+0001', 3],
  ['{{/* x', 'unclosed comment', 2],
  ['{{/* x */ }}', 'comment ends before closing delimiter', 2],
  ['{{ if 1 }}\n{{ "x\n" }}', 'unterminated quoted string', 14],
  ['{{ print\n\n"x', 'unterminated quoted string in action started at t:1', 10],
  ['{{ print "averyveryverylongstring"1 }}', 'unexpected "1" in operand', 34],
  ['{{ if if }}', 'unexpected <if> in if', 6],
  ['{{ . := 1 }}', 'unexpected ":=" in operand', undefined],
] as const)('parse error: %j says %s', (template, message, offset) => {
  const error = errorOf(template, null, { library: 'builtin' })
  expect(error.message).toContain(message)
  expect(error.offset).toBe(offset ?? error.offset)
})

// Go's own text is of no help here: it names `interface {}` or an address in memory.
test.each([
  ['{{ .port.x }}', "at <.port.x>: can't evaluate field x in type int"],
  ['{{ range .list }}{{ .x }}{{ end }}', "can't evaluate field x in type int"],
  ['{{ eq .user .user }}', 'non-comparable type map[name:Ann tags:map[a:1 b:2]]: map[string]interface {}'],
  ['{{ eq .user .nums }}', 'non-comparable types'],
  ['{{ call .host }}', 'error calling call: non-function of type string'],
  ['{{ append nil 1 }}', 'Cannot push on type invalid'],
  ['{{ chunk 0 (list 1) }}', 'chunk size must be positive'],
  ['{{ (semver "1").Compare 1 }}', 'expected *semver.Version; got int'],
  ['{{ urlParse "http://[x]" }}', 'invalid IP-literal'],
  ['{{ printf "%p" .nums }}', 'the address that %p prints is different at every run'],
  ['{{ date "2006" nil }}', 'expected a time or seconds since 1970, got nil'],
  ['{{ date "2006" "2024" }}', 'expected a time or seconds since 1970, got string'],
  ['{{ durationRound (toDate "2006" "2024") }}', 'depends on the clock'],
  ['{{ (semver "1").Nope }}', "can't evaluate field Nope"],
  ['{{ semverCompare (repeat 2000 "1") "1" }}', 'improper constraint: too long'],
  ['{{ regexFind (repeat 20000 "a") "1" }}', 'regular expression is too long'],
  ['{{ regexFind "a" (repeat 2000000 "a") }}', 'text is too long for a regular expression'],
])('error in our own words: %s', (template, message) => {
  expect(errorOf(template, DATA).message).toContain(message)
})

test('complex numbers parse but cannot be used', () => {
  expect(errorOf('{{ 1+2i }}', null).message).toContain('complex numbers such as 1+2i are not supported')
})

test.each(['now', 'env', 'randAlphaNum', 'genCA', 'uuidv4', 'bcrypt', 'getHostByName', 'derivePassword'])(
  'a scaffold must be reproducible: %s is refused by name when parsing',
  (name) => {
    const error = errorOf(`line one\n{{ ${name} }}`, null)
    expect(error.message).toMatch(new RegExp(`^template: t:2: function "${name}" is not supported: .+`))
    expect(error.offset).toBe(12)
  },
)

test('without sprig its functions are not defined', () => {
  expect(errorOf('{{ now }}', null, { library: 'builtin' }).message).toContain('function "now" not defined')
})
