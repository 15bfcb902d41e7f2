import { VERSION } from '../engine/version.ts'
import type { Carrier } from './carriers/carrier.ts'
import type { RemoteJob } from './job.ts'
import type { ExchangeEnd } from './exchange.ts'

/** Response of the remote side instead of a started scanner. */
export interface Refusal {
  /** A word of the start script, or `silence` without one; then `rest` is the standard output. */
  readonly word: string
  readonly rest: string
}

interface Circumstances {
  readonly carrier: Carrier
  readonly end: Extract<ExchangeEnd, { kind: 'ended' }>
  readonly order: Pick<RemoteJob, 'program' | 'become'>
}

/** Reason why the scanner did not start, and advice, as the end of a sentence about the target. */
export function whyNotStarted({ word, rest }: Refusal, circumstances: Circumstances): string {
  const { program } = circumstances.order
  switch (word) {
    case 'system':
      return `it runs ${rest}, but only Linux is supported`
    case 'missing':
      return `${describeInstalled(rest)}, and this npm installation of driftgate cannot be copied: install ${VERSION} there, or pass the single executable of ${VERSION} with --remote-binary`
    case 'machine':
      return `it is ${rest}, and ${program?.path ?? 'the program'} is for ${program?.machine ?? 'another machine'}: install driftgate ${VERSION} there, or pass the executable for ${rest} with --remote-binary`
    case 'no-sum':
      return `it has no sha256sum to verify a copy of driftgate: install driftgate ${VERSION} there`
    case 'nowhere':
      return `no private directory that allows execution for a copy of driftgate (${rest}): install driftgate ${VERSION} there`
    case 'damaged':
      return `the copy of driftgate is incomplete${lastWords(circumstances, ': ')}`
    case 'unfit':
      return describeIncompatibility(rest, program?.path ?? 'the program')
    default:
      return silence(circumstances, rest)
  }
}

function describeInstalled(version: string): string {
  return version === '' ? 'driftgate is not installed there' : `driftgate ${version} is installed there`
}

/** Explains the output of a program that cannot run: its loader, or another driftgate version. */
function describeIncompatibility(said: string, path: string): string {
  if (/GLIBC_|GLIBCXX_/.test(said)) {
    return `its C library is too old for ${path}, which needs glibc 2.28 and a matching C++ library: ${said}`
  }
  if (/error while loading shared libraries/.test(said)) return `a library that ${path} needs is missing there: ${said}`
  if (/not found|No such file/.test(said)) {
    return `${path} cannot be started there; its C library is probably not glibc: ${said}`
  }
  return `${path} does not run as driftgate ${VERSION} there; its output is: ${said === '' ? 'empty' : said}`
}

/** @see sh(1): 126 is a command that cannot be run, 127 one that is not there */
function silence(circumstances: Circumstances, output: string): string {
  const { end, carrier, order } = circumstances
  const meaning = carrier.explain(`${end.said}\n${output}`)
  if (meaning !== undefined) return meaning
  if (order.become.length > 0 && end.said !== '') {
    return `"${order.become.join(' ')}" did not start driftgate there${lastWords(circumstances, ': ')}`
  }
  if (end.exitCode === 127) return `it has no shell to start driftgate with${lastWords(circumstances, ': ')}`
  if (end.exitCode === 126) return `driftgate may not be started there${lastWords(circumstances, ': ')}`
  // A custom login shell reports errors on standard output; standard error may hold a banner.
  const said = output.split('\n').at(-1) ?? ''
  return `driftgate did not start there${said === '' ? lastWords(circumstances, ': ') : `: ${said}`}`
}

function lastWords({ end }: Circumstances, before: string): string {
  const said = end.said.trim().split('\n').at(-1)?.trim()
  return said === undefined || said === '' ? '' : `${before}${said}`
}
