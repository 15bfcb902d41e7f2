import { cpu } from './cpu.ts'
import type { FactFamily } from './family.ts'
import { host } from './host.ts'
import { memory } from './memory.ts'
import { network } from './network.ts'
import { partition } from './partition.ts'

/** Every family of facts, by top-level key. */
export const factFamilies: readonly FactFamily[] = [host, network, partition, cpu, memory]
