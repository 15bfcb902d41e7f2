import type { Reading } from '../model/observation.ts'

/** Space and inodes of a mounted file system, in bytes and counts. */
export interface FilesystemUsage {
  readonly totalBytes: bigint
  readonly freeBytes: bigint
  /** Space available to unprivileged users. */
  readonly availableBytes: bigint
  readonly inodes: bigint
  readonly freeInodes: bigint
}

/** One address of a network interface. */
export interface InterfaceAddress {
  readonly interfaceName: string
  /** With prefix length: `10.0.0.5/24`. */
  readonly cidr: string
  readonly address: string
  readonly version: 4 | 6
  readonly internal: boolean
}

/** Reads small text files, directories, and the results of system calls. Starts no program. */
export interface SystemProbe {
  /** The text of a small file, links followed; `null` if proven absent, unknown if larger than 16 MiB. */
  readonly readText: (path: string) => Reading<string | null>
  /** The names in a directory, sorted by character code; `null` if proven absent. */
  readonly list: (path: string) => Reading<readonly string[] | null>
  /** Usage of the file system that contains a path. */
  filesystemUsage(path: string): Reading<FilesystemUsage>
  /** Addresses of all network interfaces that are up. */
  addresses(): readonly InterfaceAddress[]
  /** `x86_64`, `aarch64`, …, as printed by `uname -m`. */
  readonly machine: string
}
