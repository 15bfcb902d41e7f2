import { resolvePlain } from './plain-scalar.ts'
import { hasRoom, type Scanner, startScanner, take, takeJsonText } from './text-scanner.ts'
import type { TreeMember, TreeNode } from './tree.ts'

/** Fast reader for valid, strict JSON. Undefined for any other text, which is then read as YAML. */
export function readJson(text: string): TreeNode | undefined {
  const scanner = startScanner(text)
  skipSpace(scanner)
  const root = readValue(scanner, 0)
  skipSpace(scanner)
  return scanner.at === text.length ? root : undefined
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d

function readValue(scanner: Scanner, depth: number): TreeNode | undefined {
  if (!hasRoom(scanner, depth)) return undefined
  const { at: offset } = scanner
  switch (scanner.text.charCodeAt(offset)) {
    case OPEN_MAP:
      return readMap(scanner, depth)
    case OPEN_LIST:
      return readList(scanner, depth)
    case QUOTE: {
      const text = takeJsonText(scanner)
      return text === undefined ? undefined : { kind: 'scalar', offset, text, value: text }
    }
    default:
      return readWord(scanner)
  }
}

function readMap(scanner: Scanner, depth: number): TreeNode | undefined {
  const { text, at: offset } = scanner
  const entries = new Map<string, TreeMember>()
  scanner.at++
  skipSpace(scanner)
  if (text.charCodeAt(scanner.at) === CLOSE_MAP) {
    scanner.at++
    return { kind: 'map', offset, entries }
  }
  for (;;) {
    const keyOffset = scanner.at
    const key = text.charCodeAt(keyOffset) === QUOTE ? takeJsonText(scanner) : undefined
    if (key === undefined || entries.has(key)) return undefined
    skipSpace(scanner)
    if (text.charCodeAt(scanner.at++) !== COLON) return undefined
    skipSpace(scanner)
    const value = readValue(scanner, depth + 1)
    if (value === undefined) return undefined
    entries.set(key, { keyOffset, value })
    skipSpace(scanner)
    const next = text.charCodeAt(scanner.at++)
    if (next === CLOSE_MAP) return { kind: 'map', offset, entries }
    if (next !== COMMA) return undefined
    skipSpace(scanner)
  }
}

function readList(scanner: Scanner, depth: number): TreeNode | undefined {
  const { text, at: offset } = scanner
  const items: TreeNode[] = []
  scanner.at++
  skipSpace(scanner)
  if (text.charCodeAt(scanner.at) === CLOSE_LIST) {
    scanner.at++
    return { kind: 'list', offset, items }
  }
  for (;;) {
    const item = readValue(scanner, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
    skipSpace(scanner)
    const next = text.charCodeAt(scanner.at++)
    if (next === CLOSE_LIST) return { kind: 'list', offset, items }
    if (next !== COMMA) return undefined
    skipSpace(scanner)
  }
}

const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function readWord(scanner: Scanner): TreeNode | undefined {
  const { at: offset } = scanner
  const text = take(scanner, WORD)
  return text === undefined ? undefined : { kind: 'scalar', offset, text, value: resolvePlain(text) }
}

/** Skips spaces and line ends. Tabs are left to the YAML parser, which has rules for them. */
function skipSpace(scanner: Scanner): void {
  const { text } = scanner
  let { at } = scanner
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && !(code === 0x0d && text.charCodeAt(at + 1) === 0x0a)) break
    at++
  }
  scanner.at = at
}
