import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ urlParse "http://u:p@h.com:80/a/b?x=1&y=2#frag" | toJson }} {{ urlParse "http://u:p@h.com:80/a/b?x=1&y=2#frag" | urlJoin }}',
    '{"fragment":"frag","host":"h.com:80","hostname":"h.com","opaque":"","path":"/a/b","query":"x=1\\u0026y=2","scheme":"http","userinfo":"u:p"} http://u:p@h.com:80/a/b?x=1&y=2#frag',
  ],
  [
    '{{ urlParse "mailto:a@b.c" | toJson }} {{ urlParse "mailto:a@b.c" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"a@b.c","path":"","query":"","scheme":"mailto","userinfo":""} mailto:a@b.c',
  ],
  [
    '{{ urlParse "//host/path" | toJson }} {{ urlParse "//host/path" | urlJoin }}',
    '{"fragment":"","host":"host","hostname":"host","opaque":"","path":"/path","query":"","scheme":"","userinfo":""} //host/path',
  ],
  [
    '{{ urlParse "/just/path" | toJson }} {{ urlParse "/just/path" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"/just/path","query":"","scheme":"","userinfo":""} /just/path',
  ],
  [
    '{{ urlParse "rel/path" | toJson }} {{ urlParse "rel/path" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"rel/path","query":"","scheme":"","userinfo":""} rel/path',
  ],
  [
    '{{ urlParse "http://[::1]:80/" | toJson }} {{ urlParse "http://[::1]:80/" | urlJoin }}',
    '{"fragment":"","host":"[::1]:80","hostname":"::1","opaque":"","path":"/","query":"","scheme":"http","userinfo":""} http://[::1]:80/',
  ],
  [
    '{{ urlParse "http://[fe80::1%25en0]/" | toJson }} {{ urlParse "http://[fe80::1%25en0]/" | urlJoin }}',
    '{"fragment":"","host":"[fe80::1%en0]","hostname":"fe80::1%en0","opaque":"","path":"/","query":"","scheme":"http","userinfo":""} http://[fe80::1%25en0]/',
  ],
  [
    '{{ urlParse "http://h/%41%2f" | toJson }} {{ urlParse "http://h/%41%2f" | urlJoin }}',
    '{"fragment":"","host":"h","hostname":"h","opaque":"","path":"/A/","query":"","scheme":"http","userinfo":""} http://h/A/',
  ],
  [
    '{{ urlParse "HTTP://H/a b" | toJson }} {{ urlParse "HTTP://H/a b" | urlJoin }}',
    '{"fragment":"","host":"H","hostname":"H","opaque":"","path":"/a b","query":"","scheme":"http","userinfo":""} http://H/a%20b',
  ],
  [
    '{{ urlParse "*" | toJson }} {{ urlParse "*" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"*","query":"","scheme":"","userinfo":""} *',
  ],
  [
    '{{ urlParse "" | toJson }} {{ urlParse "" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"","query":"","scheme":"","userinfo":""} ',
  ],
  [
    '{{ urlParse "x://u%40:p%3a@h/p" | toJson }} {{ urlParse "x://u%40:p%3a@h/p" | urlJoin }}',
    '{"fragment":"","host":"h","hostname":"h","opaque":"","path":"/p","query":"","scheme":"x","userinfo":"u%40:p%3A"} x://u%40:p%3A@h/p',
  ],
  [
    '{{ urlParse "file:///a" | toJson }} {{ urlParse "file:///a" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"/a","query":"","scheme":"file","userinfo":""} file:///a',
  ],
  [
    '{{ urlParse "?q" | toJson }} {{ urlParse "?q" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"","query":"q","scheme":"","userinfo":""} ?q',
  ],
  [
    '{{ urlParse "#f" | toJson }} {{ urlParse "#f" | urlJoin }}',
    '{"fragment":"f","host":"","hostname":"","opaque":"","path":"","query":"","scheme":"","userinfo":""} #f',
  ],
  [
    '{{ urlParse "http://h/é" | toJson }} {{ urlParse "http://h/é" | urlJoin }}',
    '{"fragment":"","host":"h","hostname":"h","opaque":"","path":"/é","query":"","scheme":"http","userinfo":""} http://h/%C3%A9',
  ],
  [
    '{{ urlParse "http://h" | toJson }} {{ urlParse "http://h" | urlJoin }}',
    '{"fragment":"","host":"h","hostname":"h","opaque":"","path":"","query":"","scheme":"http","userinfo":""} http://h',
  ],
  [
    '{{ urlParse "///x" | toJson }} {{ urlParse "///x" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"///x","query":"","scheme":"","userinfo":""} ///x',
  ],
  [
    '{{ urlParse "x:/y" | toJson }} {{ urlParse "x:/y" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"/y","query":"","scheme":"x","userinfo":""} x:///y',
  ],
  [
    '{{ urlParse "a/b:c" | toJson }} {{ urlParse "a/b:c" | urlJoin }}',
    '{"fragment":"","host":"","hostname":"","opaque":"","path":"a/b:c","query":"","scheme":"","userinfo":""} a/b:c',
  ],
  [
    '{{ urlParse "http://h:/" | toJson }} {{ urlParse "http://h:/" | urlJoin }}',
    '{"fragment":"","host":"h:","hostname":"h","opaque":"","path":"/","query":"","scheme":"http","userinfo":""} http://h:/',
  ],
  ['{{ urlJoin (dict "host" "h i" "path" "a b" "fragment" "x y" "userinfo" "a:b") }}', '//a:b@h%20i/a%20b#x%20y'],
  [
    '{{ urlJoin (dict "path" "a:b") }} {{ urlJoin (dict "opaque" "o" "scheme" "s" "query" "q") }} {{ urlJoin (dict) }}| {{ urlJoin (dict "host" "h" "path" "p") }}',
    './a:b s:o?q | //h/p',
  ],
  ['{{ urlJoin (dict "scheme" "s" "host" "h" "userinfo" "u") }}', 's://u@h'],
  [
    '{{ base "a/b.txt" }} {{ base "" }} {{ base "//" }} {{ base "a/" }} {{ dir "a/b/c" }} {{ dir "a" }} {{ dir "/a" }} {{ dir "" }} {{ clean "a/../b//c/." }} {{ clean "" }} {{ clean "/../a/" }} {{ ext "a/b.tar.gz" }} {{ ext "a.b/c" }}| {{ isAbs "/a" }} {{ isAbs "a" }}',
    'b.txt . / a a/b . / . b/c . /a .gz | true false',
  ],
  ['{{ osBase "a/b" }} {{ osDir "a/b" }} {{ osClean "a//b" }} {{ osExt "a.c" }} {{ osIsAbs "/" }}', 'b a a/b .c true'],
]

test.each(CASES)('sprig URLs and paths: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
