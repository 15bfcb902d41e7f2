import { wordsOf } from '../../../settings/blanks.ts'
import { memoizedByText } from '../../../model/memoize.ts'
import type { Arch } from './rule.ts'
import { SYSCALL_TABLES } from './syscall-tables.ts'

/** The system calls of a host, for both architectures. */
export interface Syscalls {
  /** The architecture of rules without one. */
  readonly native: Arch
  /** The number of a system call by name or number; undefined if unknown. */
  readonly numberOf: (arch: Arch, call: string) => number | undefined
  /** Whether the system call exists only on another architecture, so that no program here can make it. */
  readonly isForeign: (arch: Arch, call: string) => boolean
  /** Whether the name is in no table, though there are tables for the host: misspelt, or newer than they are. */
  readonly isNew: (arch: Arch, call: string) => boolean
}

type Table = ReadonlyMap<string, number>

/** Architectures by the output of `uname -m`. */
const MACHINES: Readonly<Record<string, Readonly<Record<Arch, keyof typeof SYSCALL_TABLES>>>> = {
  x86_64: { b64: 'x86_64', b32: 'i386' },
  aarch64: { b64: 'aarch64', b32: 'arm' },
}

/** The tables of a machine. Without tables nothing is known, and system calls are compared by name. */
export function syscallsOf(machine: string): Syscalls {
  const names = MACHINES[machine]
  const tables = names === undefined ? undefined : { b64: tableOf(names.b64), b32: tableOf(names.b32) }
  const isMissing = (arch: Arch, call: string): boolean =>
    tables !== undefined && !/^\d+$/.test(call) && !tables[arch].has(call)
  const isElsewhere = (call: string): boolean =>
    Object.values(SYSCALL_TABLES).some((table) => parseTable(table).has(call))
  return {
    native: 'b64',
    numberOf(arch, call) {
      return /^\d+$/.test(call) ? Number(call) : tables?.[arch].get(call)
    },
    isForeign: (arch, call) => isMissing(arch, call) && isElsewhere(call),
    isNew: (arch, call) => isMissing(arch, call) && !isElsewhere(call),
  }
}

function tableOf(name: keyof typeof SYSCALL_TABLES): Table {
  return parseTable(SYSCALL_TABLES[name])
}

const parseTable = memoizedByText(Object.keys(SYSCALL_TABLES).length, (text): Table => {
  const table = new Map<string, number>()
  let next = 0
  for (const word of wordsOf(text)) {
    if (/^\d+$/.test(word)) next = Number(word)
    else table.set(word, next++)
  }
  return table
})
