/** The known structure of a value: the possible members of its maps. */
export type Shape = { readonly kind: 'value' } | { readonly kind: 'list'; readonly items: Shape } | MapShape

/** A map with known members. */
export interface MapShape {
  readonly kind: 'map'
  readonly members: ReadonlyMap<string, Shape>
  /** Alternative spellings of the names. */
  readonly spellings: ReadonlyMap<string, string>
}

/** A value of unknown structure. */
export const ANY_SHAPE: Shape = { kind: 'value' }

/** The shape of a member, by either spelling, or of a list item; undefined if unknown. */
export function shapeBelow(shape: Shape, step: string | number): Shape | undefined {
  switch (shape.kind) {
    case 'value':
      return ANY_SHAPE
    case 'list':
      return typeof step === 'number' || /^-?\d+$/.test(step) ? shape.items : undefined
    case 'map':
      return shape.members.get(canonicalName(shape, String(step)))
  }
}

/** The canonical name of a spelling; other names are returned unchanged. */
export function canonicalName(shape: Shape | undefined, spelling: string): string {
  return shape?.kind === 'map' ? (shape.spellings.get(spelling) ?? spelling) : spelling
}

export function listShape(items: Shape): Shape {
  return { kind: 'list', items }
}

/** The shape of a map with these members; `spell` returns the alternative spelling of a name. */
export function mapShape(
  members: Readonly<Record<string, Shape>>,
  spell: (name: string) => string = (name) => name,
): MapShape {
  const names = Object.keys(members)
  const spellings = names.map((name): [string, string] => [spell(name), name])
  return { kind: 'map', members: new Map(Object.entries(members)), spellings: new Map(spellings) }
}
