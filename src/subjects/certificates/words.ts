import { withBlanksOfC } from '../../settings/blanks.ts'

/** Host and port of a name; undefined for another form. */
export function addressOf(name: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, digits] = withBlanksOfC(/^(?:\[([^\]]+)\]|([^:/\s]+)):(\d{1,5})$/).exec(name) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}

/** Time without milliseconds, for messages. */
export function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.000Z$/, 'Z')
}
