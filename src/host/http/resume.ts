import type { IncomingHttpHeaders } from 'node:http'

/**
 * What proves to a server that a broken download may go on where it stopped: a strong entity tag, or a date of last
 * change that is certain to be one. Undefined where the download must start again.
 * @see RFC 9110, sections 8.8.2.2, 8.8.3 and 13.1.5
 */
export function resumeValidator(headers: IncomingHttpHeaders): string | undefined {
  if (headers['accept-ranges'] === 'none') return undefined
  const { etag, date, 'last-modified': lastModified } = headers
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined
  if (lastModified === undefined || date === undefined) return undefined
  // What changed within the second of the answer may change again and keep its date.
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : undefined
}

/** The first byte and the whole size that a partial answer tells; undefined where it tells nothing that can be used. */
export function parseContentRange(
  value: string | undefined,
): { readonly start: number; readonly totalBytes: number | undefined } | undefined {
  const [, start, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(value ?? '') ?? []
  if (start === undefined || total === undefined) return undefined
  return { start: Number(start), totalBytes: total === '*' ? undefined : Number(total) }
}
