/** The value of a text of JSON in bytes; undefined for bytes that are none. */
export function valueOfJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}
