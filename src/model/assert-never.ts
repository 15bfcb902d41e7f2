/** Makes a switch over a union exhaustive. Throws an `Error` if the types were wrong. */
export function assertNever(value: never): never {
  throw new Error(`unexpected variant: ${JSON.stringify(value)}`)
}
