import type { KeyRules } from '../surface.ts'

/** The weak classes that the tokens of a cipher list stand for. @see openssl-ciphers(1), CIPHER STRINGS */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  eNULL: ['eNULL'],
  NULL: ['eNULL'],
  COMPLEMENTOFALL: ['eNULL'],
  aNULL: ['aNULL'],
  ADH: ['aNULL'],
  AECDH: ['aNULL', 'eNULL'],
  COMPLEMENTOFDEFAULT: ['aNULL'],
  EXP: ['EXPORT'],
  EXPORT: ['EXPORT'],
  EXPORT40: ['EXPORT'],
  EXPORT56: ['EXPORT'],
  LOW: ['LOW'],
  DES: ['LOW'],
  MEDIUM: ['RC4', '3DES', 'IDEA', 'SEED'],
  RC4: ['RC4'],
  RC2: ['EXPORT'],
  '3DES': ['3DES'],
  IDEA: ['IDEA'],
  SEED: ['SEED'],
  MD5: ['MD5'],
  ALL: ['aNULL', 'EXPORT', 'LOW', 'RC4', '3DES', 'IDEA', 'SEED', 'MD5'],
  '@SECLEVEL=0': ['@SECLEVEL=0'],
}

/** Tokens that name no encryption: they overlap with eNULL, which ALL and DEFAULT leave out. */
const WITHOUT_ENCRYPTION =
  /^(?:k?EECDH|k?ECDHE|ECDH|[ak]?RSA|a?ECDSA|[ak]?PSK|k(?:RSA|DHE|ECDHE)PSK|SHA(?:1|256|384)?|MD5|TLSv1(?:\.[02])?|SSLv3)$/

/** What `!SSLv3` removes beside strong ciphers. */
const OF_SSLV3 = ['LOW', 'RC4', '3DES', 'IDEA', 'SEED', 'MD5']

/** A list of OpenSSL; `excludes` names weak classes that it must not offer. */
export const CIPHERS: KeyRules['order'] = {
  equals: (left, right) => left === right,
  exclude(value, items) {
    const offered = weakClassesIn(value).filter((each) => items.includes(each))
    if (offered.length === 0) return value
    const kept = tokensIn(value).filter((token) => token !== '@SECLEVEL=0')
    return [...kept, ...offered.filter((each) => each !== '@SECLEVEL=0').map((each) => `!${each}`)].join(':')
  },
}

function tokensIn(list: string): readonly string[] {
  return list.split(/[:,; ]+/).filter((token) => token !== '')
}

/** The weak classes of which a list may offer ciphers. */
export function weakClassesIn(list: string): readonly string[] {
  const offered = new Set<string>()
  const killed = new Set<string>()
  for (const token of tokensIn(list)) {
    const [, sign = '', name = ''] = /^([!+-]?)(.*)$/s.exec(token) ?? []
    if (sign === '+') continue
    if (sign === '') for (const each of offeredBy(name)) offered.add(each)
    for (const each of sign === '' ? [] : removedBy(name)) {
      offered.delete(each)
      if (sign === '!') killed.add(each)
    }
  }
  return [...offered].filter((each) => !killed.has(each))
}

/** Of `A+B`, what both stand for. */
function offeredBy(token: string): readonly string[] {
  const [first = [], ...others] = token.split('+').map((part) => {
    const named = CLASSES[part] ?? (part.includes('-') ? classesOfSuite(part) : [])
    return WITHOUT_ENCRYPTION.test(part) ? [...named, 'eNULL'] : named
  })
  return others.length === 0
    ? first
    : [...new Set([first, ...others].flat())].filter((each) => isInAll(each, token.split('+')))
}

/** Whether ciphers of the class may be in each part: primitives overlap with all but what they exclude. */
function isInAll(weak: string, parts: readonly string[]): boolean {
  return parts.every((part) => {
    if ((CLASSES[part] ?? []).includes(weak)) return true
    return WITHOUT_ENCRYPTION.test(part)
  })
}

function removedBy(token: string): readonly string[] {
  if (token === 'SSLv3') return OF_SSLV3
  return token.includes('+') || token === 'AECDH' ? [] : (CLASSES[token] ?? [])
}

function classesOfSuite(name: string): readonly string[] {
  const found: readonly (readonly [RegExp, string])[] = [
    [/(?:^|-)NULL(?:-|$)/, 'eNULL'],
    [/^A(?:EC)?DH-/, 'aNULL'],
    [/^EXP/, 'EXPORT'],
    [/DES-CBC-/, 'LOW'],
    [/RC4/, 'RC4'],
    [/DES-CBC3|3DES/, '3DES'],
    [/IDEA/, 'IDEA'],
    [/SEED/, 'SEED'],
    [/MD5$/, 'MD5'],
  ]
  return found.flatMap(([pattern, weak]) => (pattern.test(name) ? [weak] : []))
}
