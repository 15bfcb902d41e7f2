import type { Arch } from './rule.ts'
import { SYSCALL_TABLES } from './syscall-tables.ts'

/** The system calls of a machine, for both of its architectures. */
export interface Syscalls {
  /** The architecture of rules that name none. */
  readonly native: Arch
  /** The number of a name or of a number; undefined where it is not known. */
  readonly numberOf: (arch: Arch, call: string) => number | undefined
  /** Whether a name is one of another architecture and not of this one, so that no program here can call it. */
  readonly isForeign: (arch: Arch, call: string) => boolean
}

type Table = ReadonlyMap<string, number>

/** The architectures of machines by what `uname -m` prints. */
const MACHINES: Readonly<Record<string, Readonly<Record<Arch, keyof typeof SYSCALL_TABLES>>>> = {
  x86_64: { b64: 'x86_64', b32: 'i386' },
  aarch64: { b64: 'aarch64', b32: 'arm' },
}

/** The tables of a machine; of one whose tables are not here nothing is known, and names are compared as they are. */
export function syscallsOf(machine: string): Syscalls {
  const names = MACHINES[machine]
  const tables = names === undefined ? undefined : { b64: tableOf(names.b64), b32: tableOf(names.b32) }
  return {
    native: 'b64',
    numberOf(arch, call) {
      return /^\d+$/.test(call) ? Number(call) : tables?.[arch].get(call)
    },
    isForeign(arch, call) {
      if (tables === undefined || /^\d+$/.test(call) || tables[arch].has(call)) return false
      return Object.values(SYSCALL_TABLES).some((table) => parseTable(table).has(call))
    },
  }
}

const parsed = new Map<string, Table>()

function tableOf(name: keyof typeof SYSCALL_TABLES): Table {
  return parseTable(SYSCALL_TABLES[name])
}

function parseTable(text: string): Table {
  const kept = parsed.get(text)
  if (kept !== undefined) return kept
  const table = new Map<string, number>()
  let next = 0
  for (const word of text.trim().split(/\s+/)) {
    if (/^\d+$/.test(word)) next = Number(word)
    else table.set(word, next++)
  }
  parsed.set(text, table)
  return table
}
