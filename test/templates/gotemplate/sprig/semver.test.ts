import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ $v := semver "v1.2.3-beta.1+c0ff33" }}{{ $v }} {{ $v.Major }} {{ $v.Minor }} {{ $v.Patch }} {{ $v.Prerelease }} {{ $v.Metadata }} {{ $v.Original }} {{ $v.String }} {{ $v.IncMajor }} {{ $v.IncMinor }} {{ $v.IncPatch }} {{ (semver "1.2.3").IncPatch }} {{ (semver "1").Original }}',
    '1.2.3-beta.1+c0ff33 1 2 3 beta.1 c0ff33 v1.2.3-beta.1+c0ff33 1.2.3-beta.1+c0ff33 2.0.0 1.3.0 1.2.3 1.2.4 1',
  ],
  [
    '{{ $v := semver "1.2" }}{{ toJson $v }} {{ kindOf $v }} {{ typeOf $v }} {{ quote $v }} {{ printf "%s" $v }} {{ toString $v }}',
    '"1.2.0" ptr *semver.Version "1.2.0" 1.2.0 1.2.0',
  ],
  [
    '{{ $a := semver "1.2.3" }}{{ $b := semver "1.2.4" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '-1 1 true false false true false',
  ],
  [
    '{{ $a := semver "1.2.3-alpha" }}{{ $b := semver "1.2.3" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '-1 1 true false false true false',
  ],
  [
    '{{ $a := semver "1.2.3-alpha.1" }}{{ $b := semver "1.2.3-alpha.beta" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '-1 1 true false false true false',
  ],
  [
    '{{ $a := semver "1.2.3-1" }}{{ $b := semver "1.2.3-a" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '-1 1 true false false true false',
  ],
  [
    '{{ $a := semver "1.2.3-2" }}{{ $b := semver "1.2.3-10" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '-1 1 true false false true false',
  ],
  [
    '{{ $a := semver "1.2.3-a" }}{{ $b := semver "1.2.3-a.1" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '-1 1 true false false true false',
  ],
  [
    '{{ $a := semver "2.0.0" }}{{ $b := semver "1.9.9" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '1 -1 false true false false true',
  ],
  [
    '{{ $a := semver "1.2.3+a" }}{{ $b := semver "1.2.3+b" }}{{ $a.Compare $b }} {{ $b.Compare $a }} {{ $a.LessThan $b }} {{ $a.GreaterThan $b }} {{ $a.Equal $b }} {{ $a.LessThanEqual $b }} {{ $a.GreaterThanEqual $b }}',
    '0 0 false false true true true',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "=1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "!=1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.4 1.3.0 2.0.0 0.2.5 0.0.3 3.1.0 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "!=1.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.3.0 2.0.0 0.2.5 0.0.3 3.1.0 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "!=1" . }}{{ . }} {{ end }}{{ end }}',
    '2.0.0 0.2.5 0.0.3 3.1.0 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare ">1.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.3.0 2.0.0 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare ">1" . }}{{ . }} {{ end }}{{ end }}',
    '2.0.0 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare ">1.2.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 2.0.0 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare ">=1.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 2.0.0 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "=>1.2.4" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.4 1.3.0 2.0.0 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "<1.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 0.2.5 0.0.3 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "<=1.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 0.2.5 0.0.3 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "=<1" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 0.2.5 0.0.3 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "<=1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 0.2.5 0.0.3 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "~1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "~>1.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "~1" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "~0.0.0" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 2.0.0 0.2.5 0.0.3 3.1.0 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "^1.2" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "^0.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '0.2.5 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "^0.0.3" . }}{{ . }} {{ end }}{{ end }}',
    '0.0.3 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "^0" . }}{{ . }} {{ end }}{{ end }}',
    '0.2.5 0.0.3 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "^0.0" . }}{{ . }} {{ end }}{{ end }}',
    '0.0.3 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "*" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 2.0.0 0.2.5 0.0.3 3.1.0 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "1.x" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "1.2.*" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "1.2 - 1.4.5" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare ">=1 <2 || >=3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare ">1.2.3-alpha" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 2.0.0 1.2.3-beta 3.1.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "^1.2.3-beta" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 1.2.3-beta ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "!=1.2.x-beta" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 1.2.4 1.3.0 2.0.0 0.2.5 0.0.3 3.1.0 0.0.0 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "v1.2.3 , 1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 ',
  ],
  [
    '{{ range list "1.2.3" "1.2.4" "1.3.0" "2.0.0" "0.2.5" "0.0.3" "1.2.3-beta" "3.1.0" "0.0.0" }}{{ if semverCompare "1.1 || 1.2.3" . }}{{ . }} {{ end }}{{ end }}',
    '1.2.3 ',
  ],
]

test.each(CASES)('sprig semantic versions: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
