// Recorded cases that this project answers differently on purpose. docs/decisions/0003-template-exceptions.md explains
// each. `template` is the case's template; `index` is its place in the file, given where several cases have it.
export const exceptions = [
  ...[
    '{{typeOf 1i}}',
    '{{if 1.5i}}NON-ZERO{{else}}ZERO{{end}}',
    '{{printf "%g" 1+7i}}',
    '{{with 1.5i}}{{.}}{{else}}ZERO{{end}}',
    '{{1+2i|printf "%v"}}',
    '{{if eq 1+2i 1+2i}}true{{else}}false{{end}}',
    '{{if eq 1+2i 1+3i}}true{{else}}false{{end}}',
    '{{if ne 1+2i 1+2i}}true{{else}}false{{end}}',
    '{{if ne 1+2i 1+3i}}true{{else}}false{{end}}',
  ].map((template) => ({ file: 'gotemplate.json', template, reason: 'complex numbers are refused' })),
  {
    file: 'gotemplate.json',
    template: '{{js .}}',
    index: 5,
    reason: 'U+FDFF became printable in a later version of Unicode than the recorded one',
  },
  {
    file: 'expr.json',
    template: 'now().Format("2006-01-02T15:04Z")',
    reason: 'the result was recorded at another time',
  },
  {
    file: 'expr.json',
    template: 'type(obj)',
    index: 898,
    reason: 'there is one type of integers, so an unsigned one is an int',
  },
  {
    file: 'gjson.json',
    template: 'overflow_uint64',
    reason: 'integers beyond 64 bits do not wrap around to 0',
  },
  {
    file: 'gjson.json',
    template: 'overflow_int64',
    reason: 'lookup keeps integers between int64 and uint64 instead of wrapping them around',
  },
]
