/** Ends a switch over a union; reached only if our own types lied, so it throws. */
export function assertNever(value: never): never {
  throw new Error(`unexpected variant: ${JSON.stringify(value)}`)
}
