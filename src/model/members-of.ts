/** The members of an untrusted value with these names; none if it is not an object. */
export function membersOf<Name extends string>(value: unknown): { readonly [Key in Name]?: unknown } {
  const members: object = typeof value === 'object' && value !== null ? value : {}
  return members
}
