/** What is known of a value before it is looked at: which members the maps in it can have. */
export type Shape = { readonly kind: 'value' } | { readonly kind: 'list'; readonly items: Shape } | MapShape

/** A map whose members are known by name. */
export interface MapShape {
  readonly kind: 'map'
  readonly members: ReadonlyMap<string, Shape>
  /** Other spellings of those names, each with the name that it stands for. */
  readonly spellings: ReadonlyMap<string, string>
}

/** A value of which nothing more is known. */
export const ANY_SHAPE: Shape = { kind: 'value' }

/** The shape below a member, by either of its spellings, or below an item of a list; undefined if unknown. */
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

/** The name that a spelling stands for; the spelling itself where it stands for no other. */
export function canonicalName(shape: Shape | undefined, spelling: string): string {
  return shape?.kind === 'map' ? (shape.spellings.get(spelling) ?? spelling) : spelling
}

/** The shape of a list whose items have this shape. */
export function listShape(items: Shape): Shape {
  return { kind: 'list', items }
}

/** The shape of a map with these members; `spell` gives the other spelling of a name, where it has one. */
export function mapShape(
  members: Readonly<Record<string, Shape>>,
  spell: (name: string) => string = (name) => name,
): MapShape {
  const names = Object.keys(members)
  const spellings = names.map((name): [string, string] => [spell(name), name])
  return { kind: 'map', members: new Map(Object.entries(members)), spellings: new Map(spellings) }
}
