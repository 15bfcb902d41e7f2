import { join } from 'node:path'
import { absent, known, type Observation, present } from '../../src/model/observation.ts'
import { NO_JOURNAL } from '../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { HasFiles, FileStat, Target } from '../../src/host/target.ts'

/** A machine whose file system lies in a directory. */
export function machineIn(directory: string): Target {
  const machine = createLocalTarget()
  const at = (path: string): string => join(directory, path)
  return {
    ...machine,
    probe: {
      ...machine.probe,
      readText: (path) => machine.probe.readText(at(path)),
      list: (path) => machine.probe.list(at(path)),
    },
    files: {
      ...machine.files,
      stat: (path) => machine.files.stat(at(path)),
      lstat: (path) => machine.files.lstat(at(path)),
      realPath: (path) => machine.files.realPath(at(path)),
      readHead: (path, maxBytes) => machine.files.readHead(at(path), maxBytes),
    },
  }
}

/** What a fix works with there. Commands are not run: they would reach this machine. */
export function handsIn(directory: string): Remediator {
  const remediator = createLocalRemediator(NO_JOURNAL)
  const at = (path: string): string => join(directory, path)
  return {
    ...remediator,
    createDirectory: (path, attributes) => remediator.createDirectory(at(path), attributes),
    writeFile: (path, content, attributes) => remediator.writeFile(at(path), content, attributes),
    remove: (path, options) => remediator.remove(at(path), options),
    run: async () => ({ kind: 'exited', exitCode: 0, stdout: '', stderr: '', output: '' }),
  }
}

const FILE: FileStat = {
  kind: 'file',
  mode: 0o644,
  uid: 0,
  gid: 0,
  sizeBytes: 0,
  modifiedMs: 0,
  changedMs: 0,
  inode: 0,
  device: 0,
  linkCount: 1,
}

/** What stands before the path that a link leads to, in the place of a text. */
export const LINK = '-> '

/** A machine that has these files and links and nothing else, for looks at thousands of configurations. */
export function machineOf(
  all: Readonly<Record<string, string>>,
): Pick<Target, 'probe'> & HasFiles<'stat' | 'lstat' | 'realPath' | 'readHead'> {
  const real = (path: string): string =>
    all[path]?.startsWith(LINK) === true ? (all[path] ?? '').slice(LINK.length) : path
  const files = Object.fromEntries(Object.keys(all).map((path) => [path, all[real(path)] ?? '']))
  const paths = Object.keys(files)
  const stat = (path: string): Observation<FileStat> => {
    const text = files[path]
    // A script may be run.
    if (text !== undefined) return present(text.startsWith('#!') ? { ...FILE, mode: 0o755 } : FILE)
    return paths.some((each) => each.startsWith(`${path}/`))
      ? present({ ...FILE, kind: 'directory', mode: 0o755 })
      : absent()
  }
  const machine = createLocalTarget()
  return {
    probe: {
      ...machine.probe,
      readText: (path) => known(files[path] ?? null),
      list(path) {
        const below = paths.filter((each) => each.startsWith(`${path}/`))
        const names = new Set(below.map((each) => each.slice(path.length + 1).replace(/\/.*/, '')))
        return known(names.size === 0 ? null : [...names].toSorted())
      },
    },
    files: {
      stat,
      lstat: stat,
      realPath: (path) => known(stat(path).kind === 'present' ? real(path) : null),
      readHead: (path) => known(Buffer.from(files[path] ?? '')),
    },
  }
}
