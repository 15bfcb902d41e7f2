import { resolvePlain } from './plain-scalar.ts'
import { hasRoom, type Scanner, skip, take, takeJsonText } from './text-scanner.ts'
import type { TreeMember, TreeNode } from './tree.ts'

/** Reads a quoted text on one line. */
export function takeQuoted(scanner: Scanner): string | undefined {
  const { text, at } = scanner
  if (text.charAt(at) === '"') return takeJsonText(scanner)
  let end = text.indexOf("'", at + 1)
  while (end >= 0 && text.charAt(end + 1) === "'") end = text.indexOf("'", end + 2)
  const source = text.slice(at + 1, end)
  if (end < 0 || source.includes('\n')) return undefined
  scanner.at = end + 1
  return source.replaceAll("''", "'")
}

/** Reads a flow map or list on one line. */
export function takeFlow(scanner: Scanner, depth: number): TreeNode | undefined {
  return scanner.text.charAt(scanner.at) === '[' ? takeList(scanner, depth) : takeMap(scanner, depth)
}

const SPACES = / */y
const COMMA = / *, */y
const END_OF_LIST = / *\]/y
const END_OF_MAP = / *\}/y
const COLON = /: +/y
const PLAIN = /(?:[A-Za-z\d/._~$+]|-(?=[A-Za-z\d/._]))(?:[^\n,[\]{}:#]|:(?=[^\s,[\]{}])|(?<! )#)*/y

function takeList(scanner: Scanner, depth: number): TreeNode | undefined {
  const items: TreeNode[] = []
  const { at: offset } = scanner
  scanner.at++
  if (skip(scanner, END_OF_LIST)) return { kind: 'list', offset, items }
  skip(scanner, SPACES)
  do {
    const item = takeValue(scanner, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
  } while (skip(scanner, COMMA))
  return skip(scanner, END_OF_LIST) ? { kind: 'list', offset, items } : undefined
}

function takeMap(scanner: Scanner, depth: number): TreeNode | undefined {
  const entries = new Map<string, TreeMember>()
  const { at: offset } = scanner
  scanner.at++
  if (skip(scanner, END_OF_MAP)) return { kind: 'map', offset, entries }
  skip(scanner, SPACES)
  do {
    const { at: keyOffset } = scanner
    const key = takeText(scanner)
    if (key === undefined || entries.has(key) || !skip(scanner, COLON)) return undefined
    const value = takeValue(scanner, depth + 1)
    if (value === undefined) return undefined
    entries.set(key, { keyOffset, value })
  } while (skip(scanner, COMMA))
  return skip(scanner, END_OF_MAP) ? { kind: 'map', offset, entries } : undefined
}

function takeValue(scanner: Scanner, depth: number): TreeNode | undefined {
  if (!hasRoom(scanner, depth)) return undefined
  const { at: offset } = scanner
  const first = scanner.text.charAt(offset)
  if (first === '[' || first === '{') return takeFlow(scanner, depth)
  const text = takeText(scanner)
  if (text === undefined) return undefined
  return { kind: 'scalar', offset, text, value: first === '"' || first === "'" ? text : resolvePlain(text) }
}

function takeText(scanner: Scanner): string | undefined {
  const first = scanner.text.charAt(scanner.at)
  return first === '"' || first === "'" ? takeQuoted(scanner) : take(scanner, PLAIN)?.trimEnd()
}
