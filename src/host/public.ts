/** Public API of the machine: reading and changing it. */
export type {
  AccountLookup,
  FileKind,
  FileStat,
  HasFiles,
  Target,
  TargetFiles,
  TargetSystem,
  TreeEntry,
} from './target.ts'
export type { FilesystemUsage, InterfaceAddress, SystemProbe } from './probe.ts'
export type { Command, CommandOutcome, CommandOutput } from './command.ts'
export type {
  DefaultAttributes,
  DownloadRequest,
  ExtractRequest,
  FileAttributes,
  FileContent,
  Ownership,
  OwnershipOptions,
  Remediator,
  WriteOptions,
} from './remediator.ts'
