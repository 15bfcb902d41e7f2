import { ipVersion } from './ip-address.ts'
import { formatGoValue, type GoFunction, type GoValue } from '../../templates/govalue/index.ts'
import { TemplateError } from '../../templates/errors.ts'

/**
 * The functions of `@validate` expressions, named as in choria-io/validator. Each takes text; format validators return
 * a boolean.
 */
export const validators: ReadonlyMap<string, GoFunction> = new Map([
  ...validator(['isIP', 'is_ip'], (text) => ipVersion(text) !== undefined),
  ...validator(['isIPv4', 'is_ipv4'], (text) => ipVersion(text) === 4),
  ...validator(['isIPv6', 'is_ipv6'], (text) => ipVersion(text) === 6),
  ...validator(['isInt', 'is_int'], (text) => /^[+-]?\d+$/.test(text) && fitsInt64(BigInt(text.replace(/^\+/, '')))),
  ...validator(['isFloat', 'is_float'], isFloat),
  ...validator(['isDuration', 'is_duration'], isDuration),
  ...validator(['isShellSafe', 'is_shellsafe'], (text) => !/[`$;|&><()\n]/.test(text.trim())),
  ...validator(['isHostname', 'is_hostname'], isHostname),
  ...validator(['isFQDN', 'is_fqdn'], (text) => isHostname(text) && text.replace(/\.$/, '').includes('.')),
])

function validator(names: readonly string[], check: (text: string) => boolean): [string, GoFunction][] {
  return names.map((name) => [name, { kind: 'function', name, call: (args) => check(onlyText(name, args)) }])
}

function onlyText(name: string, args: readonly GoValue[]): string {
  const [value, ...rest] = args
  if (value === undefined || rest.length > 0) throw new TemplateError(`${name} requires one value`)
  return typeof value === 'string' ? value : formatGoValue(value)
}

function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

/** The syntax of Go's ParseFloat: decimal or hexadecimal, infinities and NaN, underscores only with a base prefix. */
function isFloat(text: string): boolean {
  return /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|0x([\da-f]+\.?[\da-f]*|\.[\da-f]+)p[+-]?\d+|inf(inity)?|nan)$/i.test(
    text,
  )
}

/** Durations with the units of Go plus days, weeks, months and years: `1h30m`, `2d`, `1w`. */
function isDuration(text: string): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|D|w|W|M|y|Y)((\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|D|w|W|M|y|Y))*$/.test(
    text,
  )
}

/** RFC 1123: labels of letters, digits and inner hyphens, 63 characters each and 253 in all; a final dot is allowed. */
function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label))
}
