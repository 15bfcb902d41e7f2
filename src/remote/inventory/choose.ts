import { compileGlob } from '../../model/go-glob.ts'
import { didYouMean } from '../../model/suggest.ts'
import type { Inventory, InventoryTarget } from './inventory.ts'

/** The selected targets in inventory order, or the reason of a refusal. */
type ChosenOfInventory =
  | { readonly kind: 'chosen'; readonly targets: readonly InventoryTarget[] }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Selects targets of an inventory by target name, group, or `LABEL=VALUE`, with globs; without selectors, all targets.
 * `!` excludes, in any position. A selector without a match is refused: it is most likely a mistake.
 */
export function chooseTargets({ targets, groups }: Inventory, selectors: readonly string[]): ChosenOfInventory {
  const chosen = new Set(selectors.every(isExclusion) ? targets : [])
  const excluded = new Set<InventoryTarget>()
  for (const written of selectors) {
    const selector = isExclusion(written) ? written.slice(1).trim() : written
    const [, label, pattern = selector] = /^([^=]*)=(.*)$/s.exec(selector) ?? []
    const fits = compileGlob(pattern)
    if (fits === undefined) return { kind: 'refused', message: `"${selector}" is not a pattern: unclosed [ or \\` }
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
    for (const target of found) (isExclusion(written) ? excluded : chosen).add(target)
  }
  const left = targets.filter((target) => chosen.has(target) && !excluded.has(target))
  if (left.length > 0 || targets.length === 0) return { kind: 'chosen', targets: left }
  return { kind: 'refused', message: `"${selectors.join(',')}" matches no target` }
}

function isExclusion(selector: string): boolean {
  return selector.startsWith('!')
}

function namesOf({ targets, groups }: Inventory): ReadonlySet<string> {
  const pairs = targets.flatMap(({ labels }) => Object.entries(labels).map(([label, value]) => `${label}=${value}`))
  return new Set([...targets.map(({ name }) => name), ...groups.keys(), ...pairs])
}
