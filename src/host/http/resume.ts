import type { IncomingHttpHeaders } from 'node:http'

/**
 * The validator to resume an interrupted download: a strong entity tag, or a modification date that is certainly
 * strong. Undefined if the download must restart.
 * @see RFC 9110, sections 8.8.2.2, 8.8.3 and 13.1.5
 */
export function resumeValidator(headers: IncomingHttpHeaders): string | undefined {
  if (headers['accept-ranges'] === 'none') return undefined
  const { etag, date, 'last-modified': lastModified } = headers
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined
  if (lastModified === undefined || date === undefined) return undefined
  // A file modified within the second of the response may change again and keep its date.
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : undefined
}

/** Start and total size of a partial response; undefined if unusable. */
export function parseContentRange(
  value: string | undefined,
): { readonly start: number; readonly totalBytes: number | undefined } | undefined {
  const [, start, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(value ?? '') ?? []
  if (start === undefined || total === undefined) return undefined
  return { start: Number(start), totalBytes: total === '*' ? undefined : Number(total) }
}
