import { defined } from '../../../../model/defined.ts'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { textFromBytes } from '../../../../host/byte-text.ts'
import type { WebAnswer, WebRequest } from '../../../network/network.ts'
import type { GossRequest, Measured } from '../resource.ts'
import { textOf, timeoutOf } from './given.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { NETWORK } from '../../../network/subject.ts'

/** In milliseconds. */
const USUAL_TIMEOUT = 5_000

/** The limit for a body; a longer body is not compared. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** Headers that Go removes, because they describe the connection; `Connection: close` is one as well. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['Transfer-Encoding', 'Trailer'])
const CLOSING = /(?:^|[\s,])close(?:$|[\s,])/i

/** Measures an HTTP response. Without a response all attributes are unknown. */
export async function measureWeb({ request, wanted, target, signal }: MeasureContext): Promise<Reading<Attributes>> {
  const headers = requestHeaders(request.given)
  if (headers.kind === 'unknown') return headers
  const maxBodyBytes = wanted.includes('body') ? MAX_BODY_BYTES : 0
  const answer = await target
    .open(NETWORK)
    .request({ ...describe(request), headers: headers.value, maxBodyBytes, signal })
  if (answer.kind === 'unknown') return answer
  const { status, body } = answer.value
  return known({
    status: () => known(status),
    headers: () => known({ text: headerText(answer.value) }),
    body: (): Measured => (body.kind === 'unknown' ? body : known({ text: textFromBytes(Buffer.from(body.value)) })),
  })
}

function describe({ id, given }: GossRequest): Omit<WebRequest, 'headers' | 'maxBodyBytes' | 'signal'> {
  return {
    url: id,
    method: textOf(given, 'method') ?? 'GET',
    body: textOf(given, 'request-body') ?? '',
    redirects: given['no-follow-redirects'] === true ? 'answer' : 'follow',
    certificates: given['allow-insecure'] === true ? 'accept-any' : 'verify',
    timeoutMs: timeoutOf(given, USUAL_TIMEOUT),
    ...defined({
      username: textOf(given, 'username'),
      password: textOf(given, 'password'),
      authoritiesFile: textOf(given, 'ca-file'),
      certificateFile: textOf(given, 'cert-file'),
      keyFile: textOf(given, 'key-file'),
      proxy: textOf(given, 'proxy'),
    }),
  }
}

/** An error message omits the value, which may be a token. */
function requestHeaders(given: GossRequest['given']): Reading<readonly (readonly [string, string])[]> {
  const written = given['request-headers'] ?? []
  const lines = Array.isArray(written) ? written.map(String) : []
  const headers = lines.map((line) => /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): (.*)$/.exec(line))
  const wrong = headers.indexOf(null)
  if (wrong !== -1) return unknown('invalid', `request-headers: item ${wrong + 1} is not in the form "Name: value"`)
  return known(headers.map((header) => [header?.[1] ?? '', header?.[2] ?? ''] as const))
}

/** The response headers as sorted lines, with Go's canonical names. */
function headerText({ headers }: WebAnswer): string {
  const named = headers.map(([name, value]) => [canonicalName(name), value] as const)
  const shown = named.filter(([name, value]) => !NOT_SHOWN.has(name) && !(name === 'Connection' && CLOSING.test(value)))
  return shown
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
    .join('\n')
}

/** @see https://pkg.go.dev/net/textproto#CanonicalMIMEHeaderKey */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}
