// Recorded cases that this project answers differently on purpose. docs/decisions/0003-template-exceptions.md explains
// each. `template` is the case's template; `index` is its place in the file, given where several cases have it.
export const exceptions = [
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
