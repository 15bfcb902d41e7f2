// Recorded cases that this project answers differently on purpose. docs/decisions/0003-template-exceptions.md explains
// each. `template` is the case's template as JSON; `test` is given where a template alone does not name one case.
export const exceptions = [
  {
    file: 'gjson.json',
    template: '"overflow_uint64"',
    reason: 'integers beyond 64 bits do not wrap around to 0',
  },
  {
    file: 'gjson.json',
    template: '"overflow_int64"',
    reason: 'lookup keeps integers between int64 and uint64 instead of wrapping them around',
  },
]
