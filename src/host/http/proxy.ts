import { BlockList, isIP } from 'node:net'
import { HttpError } from './http-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a URL according to `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in lower or upper case; undefined for a
 * direct connection. Loopback addresses never use a proxy. `NO_PROXY` is a list of hosts, domains with their
 * subdomains, addresses and networks in CIDR notation, each with an optional port, or `*`.
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function chooseProxy(url: URL, environment: Environment): URL | undefined {
  const value = proxyValue(url, environment)
  if (value === undefined || value === '' || isExempt(url, environment)) return undefined
  return parseProxy(value, `the proxy for ${url.protocol}//${url.host} is not a URL; correct the environment variable`)
}

/** Parses a proxy; the default scheme is http. Throws an `HttpError`, with `problem` as its message if the text is not a URL. */
export function parseProxy(value: string, problem = 'the proxy is not a URL'): URL {
  const text = value.includes('://') ? value : `http://${value}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy === undefined || proxy.hostname === '') throw new HttpError(problem)
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    throw new HttpError(`${proxy.protocol}// proxies are not supported; use an http or https proxy`)
  }
  return proxy
}

function proxyValue({ protocol }: URL, environment: Environment): string | undefined {
  if (protocol === 'https:') return environment['https_proxy'] ?? environment['HTTPS_PROXY']
  // CGI sets HTTP_PROXY from the client's "Proxy" header. @see https://httpoxy.org
  const isCgi = environment['REQUEST_METHOD'] !== undefined
  return environment['http_proxy'] ?? (isCgi ? undefined : environment['HTTP_PROXY'])
}

function isExempt(url: URL, environment: Environment): boolean {
  const host = bareHost(url.hostname)
  if (host === 'localhost' || isLoopback(host)) return true
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const rules = (environment['no_proxy'] ?? environment['NO_PROXY'] ?? '').split(/[\s,]+/)
  return rules.some((rule) => rule !== '' && matches(rule.toLowerCase(), { host, port }))
}

function isLoopback(host: string): boolean {
  return matchesNetwork('127.0.0.0/8', host) || host === '::1'
}

function matches(rule: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (rule === '*') return true
  if (rule.includes('/')) return matchesNetwork(rule, host)
  const [, name = rule, wantedPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(rule) ?? []
  if (wantedPort !== undefined && wantedPort !== port) return false
  const wanted = bareHost(name.replace(/^\*?\./, '.'))
  if (isIP(wanted) !== 0 || isIP(host) !== 0) return wanted === host
  return wanted.startsWith('.') ? host.endsWith(wanted) : host === wanted || host.endsWith(`.${wanted}`)
}

function matchesNetwork(rule: string, host: string): boolean {
  const [network = '', prefix = ''] = rule.split('/', 2)
  const family = isIP(network)
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix)) return false
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), type)
  return list.check(host, type)
}

/** URLs have IPv6 addresses in brackets. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
}
