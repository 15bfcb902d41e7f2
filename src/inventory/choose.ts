import { compileGlob } from '../core/go-glob.ts'
import { didYouMean } from '../core/suggest.ts'
import type { Inventory, InventoryTarget } from './inventory.ts'

/** The targets that were asked for, in the order of the inventory, or why there are none. */
type ChosenOfInventory =
  | { readonly kind: 'chosen'; readonly targets: readonly InventoryTarget[] }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Takes out of an inventory what any of the selectors names: a target, a group, or `LABEL=VALUE`; names and values may be globs. All of
 * it where there are none. A selector that names nothing is refused: most likely somebody believes that it was looked at.
 */
export function chooseTargets({ targets, groups }: Inventory, selectors: readonly string[]): ChosenOfInventory {
  if (selectors.length === 0) return { kind: 'chosen', targets }
  const wanted = new Set<InventoryTarget>()
  for (const selector of selectors) {
    const [, label, pattern = selector] = /^([^=]*)=(.*)$/s.exec(selector) ?? []
    const fits = compileGlob(pattern)
    if (fits === undefined) return { kind: 'refused', message: `"${selector}" is no pattern: a [ or \\ has no end` }
    const names = new Set([...groups].flatMap(([name, group]) => (fits(name) ? [...group.targets] : [])))
    const found = targets.filter(({ name, labels }) => {
      if (label === undefined) return fits(name) || names.has(name)
      const value = Object.hasOwn(labels, label) ? labels[label] : undefined
      return value !== undefined && fits(value)
    })
    if (found.length === 0) {
      return {
        kind: 'refused',
        message: `"${selector}" names no target${didYouMean(selector, namesOf({ targets, groups }))}`,
      }
    }
    for (const target of found) wanted.add(target)
  }
  return { kind: 'chosen', targets: targets.filter((target) => wanted.has(target)) }
}

function namesOf({ targets, groups }: Inventory): ReadonlySet<string> {
  const pairs = targets.flatMap(({ labels }) => Object.entries(labels).map(([label, value]) => `${label}=${value}`))
  return new Set([...targets.map(({ name }) => name), ...groups.keys(), ...pairs])
}
