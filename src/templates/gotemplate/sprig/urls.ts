import { TemplateError } from '../../errors.ts'
import type { GoValue } from '../../govalue/index.ts'
import { fixed, type TemplateFunction } from '../functions.ts'
import { formatGoUrl, formatUserInfo, hostName, parseGoUrl, type UserInfo } from './go-url.ts'
import { kindOf } from './reflection.ts'

type Dictionary = ReadonlyMap<GoValue, GoValue>

/** Runs `work`, and prefixes errors with the attempted task. */
function withTaskError<T>(task: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new TemplateError(`unable to parse ${task}: ${error.message}`, undefined, { cause: error })
  }
}

function urlParse(text: string): Dictionary {
  const url = withTaskError('url', () => parseGoUrl(text))
  return new Map<GoValue, GoValue>([
    ['scheme', url.scheme],
    ['host', url.host],
    ['hostname', hostName(url.host)],
    ['path', url.path],
    ['query', url.query],
    ['opaque', url.opaque],
    ['fragment', url.fragment],
    ['userinfo', url.user === undefined ? '' : formatUserInfo(url.user)],
  ])
}

function textAt(dictionary: Dictionary, key: string): string {
  const value = dictionary.get(key) ?? ''
  if (typeof value === 'string') return value
  throw new TemplateError(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`)
}

function userOf(text: string): UserInfo | undefined {
  return text === '' ? undefined : withTaskError('userinfo in dict', () => parseGoUrl(`proto://${text}@host`).user)
}

function urlJoin(dictionary: Dictionary): string {
  return formatGoUrl({
    scheme: textAt(dictionary, 'scheme'),
    host: textAt(dictionary, 'host'),
    path: textAt(dictionary, 'path'),
    query: textAt(dictionary, 'query'),
    opaque: textAt(dictionary, 'opaque'),
    fragment: textAt(dictionary, 'fragment'),
    user: userOf(textAt(dictionary, 'userinfo')),
  })
}

/** Functions that parse and format URLs. */
export const URL_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('urlParse', ['string'], ([text]) => urlParse(text)),
  fixed('urlJoin', ['map'], ([dictionary]) => urlJoin(dictionary)),
]
