import { absent, known, present, unknown } from '../../src/model/observation.ts'
import type { FilesystemUsage, InterfaceAddress } from '../../src/host/probe.ts'
import type { FileStat, Target } from '../../src/host/target.ts'
import { EMPTY_MACHINE } from './target.ts'

/** A machine as a literal: its small text files, who owns them, its directories, disks and addresses. */
export interface MachineFiles {
  readonly files?: Readonly<Record<string, string>>
  readonly stats?: Readonly<Record<string, Partial<FileStat>>>
  readonly usage?: Readonly<Record<string, FilesystemUsage>>
  readonly addresses?: readonly InterfaceAddress[]
  readonly os?: { readonly id: string; readonly version: string }
}

const REGULAR: FileStat = {
  kind: 'file',
  mode: 0o644,
  uid: 0,
  gid: 0,
  sizeBytes: 0,
  modifiedMs: 0,
  changedMs: 0,
  inode: 1,
  device: 1,
  linkCount: 1,
}

export function machineOf({ files = {}, stats = {}, usage = {}, addresses = [], os }: MachineFiles): Target {
  const paths = Object.keys(files)
  const children = (path: string): string[] => {
    const below = paths.filter((file) => file.startsWith(`${path}/`)).map((file) => file.slice(path.length + 1))
    return [...new Set(below.map((rest) => rest.split('/')[0] ?? ''))].toSorted()
  }
  return {
    ...EMPTY_MACHINE,
    system: { ...EMPTY_MACHINE.system, ...(os === undefined ? {} : { os }) },
    files: {
      ...EMPTY_MACHINE.files,
      lstat(path) {
        const isDirectory = children(path).length > 0
        if (files[path] === undefined && !isDirectory) return absent()
        return present({ ...REGULAR, kind: isDirectory ? 'directory' : 'file', ...stats[path] })
      },
    },
    probe: {
      machine: 'x86_64',
      readText: (path) => known(files[path] ?? null),
      list: (path) => known(children(path).length === 0 ? null : children(path)),
      filesystemUsage: (path) => {
        const found = usage[path]
        return found === undefined ? unknown('not-observable', `nothing is mounted at ${path}`) : known(found)
      },
      addresses: () => addresses,
    },
  }
}
