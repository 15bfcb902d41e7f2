import { BlockList, isIP } from 'node:net'
import { HttpError } from './http-error.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a URL after `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in small or capital letters; undefined for a direct
 * connection. The machine itself is never reached through a proxy. `NO_PROXY` is a list of hosts, domains with all below
 * them, addresses and networks in CIDR notation, each with a port or without, or `*`.
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function chooseProxy(url: URL, environment: Environment): URL | undefined {
  const value = proxyValue(url, environment)
  if (value === undefined || value === '' || isExempt(url, environment)) return undefined
  return parseProxy(value, `the proxy for ${url.protocol}//${url.host} is no URL; correct the environment variable`)
}

/** The proxy that a text names, http where it has no protocol. Throws an `HttpError`, with `problem` for what is no URL. */
export function parseProxy(value: string, problem = 'the proxy is no URL'): URL {
  const text = value.includes('://') ? value : `http://${value}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy === undefined || proxy.hostname === '') throw new HttpError(problem)
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    throw new HttpError(`a proxy of the kind ${proxy.protocol}// is not supported; use an http or https one`)
  }
  return proxy
}

function proxyValue({ protocol }: URL, environment: Environment): string | undefined {
  if (protocol === 'https:') return environment['https_proxy'] ?? environment['HTTPS_PROXY']
  // A web server sets HTTP_PROXY from the client's "Proxy" header. @see https://httpoxy.org
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

/** URLs write IPv6 addresses in brackets. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
}
