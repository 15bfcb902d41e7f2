/** The members that are there: those that may be undefined are optional, and absent where they are. */
type Defined<Members> = {
  readonly [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name]
} & {
  readonly [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>
}

/**
 * The members that are not undefined, to be spread where an optional property is to be absent: `...defined({ alias, path })`.
 * It costs what a spread for each of them does.
 */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const present: Record<string, unknown> = {}
  for (const name in members) if (members[name] !== undefined) present[name] = members[name]
  return present as Defined<Members> // The type says what the loop has done.
}
