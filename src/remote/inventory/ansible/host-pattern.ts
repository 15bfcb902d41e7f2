/** The hosts that a pattern stands for, with the port of all of them, or what is wrong with it: the end of a sentence. */
export type ExpandedHosts =
  { readonly names: readonly string[]; readonly port: string | undefined } | { readonly message: string }

/** More than anybody has are a mistake, and fill the memory. */
const MOST_HOSTS = 100_000

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

// What may be a name with a port behind it; of anything else the colon is a part. @see ansible/parsing/utils/addresses.py
const NUMBERS = String.raw`\[[0-9]+:[0-9]+(?::[0-9]+)?\]`
const HEXADECIMAL = String.raw`\[[0-9a-f]+:[0-9a-f]+(?::[0-9]+)?\]`
const LETTERS_OR_NUMBERS = String.raw`\[(?:[a-z]:[a-z]|[0-9]+:[0-9]+)(?::[0-9]+)?\]`
const V4 = `(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5]|${NUMBERS})`
const V6 = `(?:[0-9a-f]{1,4}|${HEXADECIMAL})`
const WORD = String.raw`[\p{L}\p{N}_]`
const LABEL = String.raw`(?:${WORD}|${LETTERS_OR_NUMBERS})(?:[\p{L}\p{N}_-]|${LETTERS_OR_NUMBERS})*(?<![_-])`
const ADDRESSES = [
  new RegExp(String.raw`^(?:${V4}\.){3}${V4}$`, 'i'),
  new RegExp(`^(?:(?:${V6}:){7}${V6}|(?:${V6}:){1,6}:|(?:${V6}:){1,6}(?::${V6}){1,6}|:(?::${V6}){1,6}|${V6}?::)$`, 'i'),
  new RegExp(String.raw`^${LABEL}(?:\.${LABEL})*$`, 'iu'),
]

/** Reads `web[01:50:2].example.com:2222`. */
export function expandHosts(pattern: string): ExpandedHosts {
  const [, bracketed, behindBrackets] = /^\[(.+)\]:([0-9]+)$/.exec(pattern) ?? []
  const [, plain = pattern, behind] = /^((?:[^:[\]]|\[[^\]]*\])*):([0-9]+)$/.exec(bracketed ?? pattern) ?? []
  const name = bracketed === undefined || behind !== undefined ? plain : bracketed
  const isAddress = ADDRESSES.some((address) => address.test(name))
  const port = isAddress ? (behind ?? behindBrackets) : undefined
  const host = isAddress ? name : pattern
  if (host.endsWith(':') && port === undefined && !isAddress)
    return { message: 'ends with a colon, and no port stands behind it' }
  const names = expand(host)
  if (typeof names === 'string') return { message: names }
  return names.length === 0 ? { message: 'has a range without any host' } : { names, port }
}

function expand(host: string): readonly string[] | string {
  if (!host.includes('[')) return [host]
  const [, head = '', range = '', tail = ''] = /^([^[]*)\[([^\]]*)\](.*)$/s.exec(host) ?? []
  if (range === '') return 'has a range that does not end, or is empty'
  const parts = partsOf(range.split(':'))
  if (typeof parts === 'string') return parts
  const all: string[] = []
  for (const part of parts) {
    const expanded = expand(`${head}${part}${tail}`)
    if (typeof expanded === 'string') return expanded
    if (all.length + expanded.length > MOST_HOSTS) return `stands for more than ${MOST_HOSTS} hosts`
    all.push(...expanded)
  }
  return all
}

function partsOf([begin = '', end = '', step = '1', ...others]: readonly string[]): readonly string[] | string {
  if (others.length > 0 || end === '') return 'has a range that is not written [BEGIN:END] or [BEGIN:END:STEP]'
  if (!/^[1-9]\d{0,5}$/.test(step.replace(/^0+(?=\d)/, ''))) return 'has a range whose step is not a number from 1'
  const by = Number(step)
  const first = begin === '' ? '0' : begin
  if (/^[a-zA-Z]$/.test(first) && /^[a-zA-Z]$/.test(end)) {
    const [from, to] = [LETTERS.indexOf(first), LETTERS.indexOf(end)]
    if (from > to) return 'has a range whose end comes before its beginning'
    return LETTERS.slice(from, to + 1)
      .split('')
      .filter((_letter, at) => at % by === 0)
  }
  if (!/^\d{1,15}$/.test(first) || !/^\d{1,15}$/.test(end))
    return 'has a range that is neither of numbers nor of letters'
  const isPadded = first.startsWith('0') && first.length > 1
  if (isPadded && first.length !== end.length) return 'has a range whose begin and end are not equally long'
  if ((Number(end) - Number(first)) / by >= MOST_HOSTS) return `stands for more than ${MOST_HOSTS} hosts`
  const numbers: string[] = []
  for (let at = Number(first); at <= Number(end); at += by)
    numbers.push(String(at).padStart(isPadded ? first.length : 1, '0'))
  return numbers
}
