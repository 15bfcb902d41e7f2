import { describeStats } from '../file-stat.ts'
import type { SystemStats } from '../machine-files.ts'
import type { EntryAttributes } from '../../file-trees.ts'

/** Interned attributes: millions of entries share a few. */
export interface AttributeTable {
  /** The index of the attributes. */
  readonly intern: (stats: SystemStats) => number
  /** Throws an `Error` for an index that `intern` has not returned. */
  readonly at: (index: number) => EntryAttributes
}

export function createAttributeTable(): AttributeTable {
  const table: EntryAttributes[] = []
  // By mode with file type, then user, then group.
  const byMode = new Map<number, Map<number, Map<number, number>>>()
  let last: { readonly mode: number; readonly uid: number; readonly gid: number; readonly index: number } | undefined
  return {
    intern(stats) {
      const { mode, uid, gid } = stats
      // Most entries have the attributes of the previous one.
      if (last !== undefined && last.mode === mode && last.uid === uid && last.gid === gid) return last.index
      const byGroup = entry(entry(byMode, mode), uid)
      const index = byGroup.get(gid) ?? table.length
      if (index === table.length) {
        const described = describeStats(stats)
        table.push({ kind: described.kind, mode: described.mode, uid, gid })
        byGroup.set(gid, index)
      }
      last = { mode, uid, gid, index }
      return index
    },
    at(index) {
      const attributes = table[index]
      if (attributes === undefined) throw new Error(`no attributes with index ${index}`)
      return attributes
    },
  }
}

function entry<Value>(map: Map<number, Map<number, Value>>, key: number): Map<number, Value> {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = new Map<number, Value>()
  map.set(key, made)
  return made
}
