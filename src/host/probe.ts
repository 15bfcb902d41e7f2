import type { Reading } from '../model/observation.ts'

/** Space and inodes of a mounted file system, in bytes and counts. */
export interface FilesystemUsage {
  readonly totalBytes: bigint
  readonly freeBytes: bigint
  /** What an ordinary user may still use. */
  readonly availableBytes: bigint
  readonly inodes: bigint
  readonly freeInodes: bigint
}

/** One address of a network interface. */
export interface InterfaceAddress {
  readonly interfaceName: string
  /** With the length of its prefix: `10.0.0.5/24`. */
  readonly cidr: string
  readonly address: string
  readonly version: 4 | 6
  readonly internal: boolean
}

/** Small text files of the machine, its directories, and what only system calls tell. Nothing is started. */
export interface SystemProbe {
  /** The text of a small file, links followed; `null` where it is proved absent, unknown for one larger than 16 MiB. */
  readonly readText: (path: string) => Reading<string | null>
  /** The names in a directory, sorted by their characters' codes; `null` where it is proved absent. */
  readonly list: (path: string) => Reading<readonly string[] | null>
  /** Of the file system that a path lies on. */
  filesystemUsage(path: string): Reading<FilesystemUsage>
  /** Of all network interfaces that are up. */
  addresses(): readonly InterfaceAddress[]
  /** `x86_64`, `aarch64`, …, as `uname -m` prints it. */
  readonly machine: string
}
