import { join } from 'node:path'
import { absent, known, present } from '../../src/model/observation.ts'
import { createLocalRemediator } from '../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { NO_JOURNAL } from '../../src/host/live/journal.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { HasFiles, FileStat, Target } from '../../src/host/target.ts'

/** Modules that the machine has beside the files of a test. */
const MODULES = ['unix', 'deny', 'permit', 'faillock', 'pwquality', 'pwhistory', 'rootok', 'wheel', 'sss', 'localuser']

const STAT: FileStat = {
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

/** A machine that has these files and the usual modules, as far as PAM is concerned. */
export function machineOf(files: Readonly<Record<string, string>>): Pick<Target, 'probe'> & HasFiles<'stat'> {
  const all: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      MODULES.map((name) => [`/usr/lib/x86_64-linux-gnu/security/pam_${name}.so`, 'pwhistory.conf']),
    ),
    ...files,
  }
  const inside = (directory: string): readonly string[] => {
    return Object.keys(all).filter((path) => path.startsWith(`${directory}/`))
  }
  return {
    files: { stat: (path) => (all[path] !== undefined || inside(path).length > 0 ? present(STAT) : absent()) },
    probe: {
      machine: 'x86_64',
      addresses: () => [],
      filesystemUsage: () => ({ kind: 'unknown', reason: 'not-observable', detail: 'no disk' }),
      readText: (path) => known(all[path] ?? null),
      list: (path) => known(inside(path).map((each) => each.slice(path.length + 1))),
    },
  }
}

/** A machine whose files lie in a directory. */
export function machineIn(directory: string): Target {
  const target = createLocalTarget()
  return {
    ...target,
    files: {
      ...target.files,
      stat: (path) => target.files.stat(join(directory, path)),
      realPath: (path) => target.files.realPath(join(directory, path)),
      readHead: (path, maxBytes) => target.files.readHead(join(directory, path), maxBytes),
    },
    probe: {
      ...target.probe,
      machine: 'x86_64',
      readText: (path) => target.probe.readText(join(directory, path)),
      list: (path) => target.probe.list(join(directory, path)),
    },
  }
}

/** What changes such a machine. */
export function handsIn(directory: string): Remediator {
  const remediator = createLocalRemediator(NO_JOURNAL)
  return {
    ...remediator,
    createDirectory: (path, attributes) => remediator.createDirectory(join(directory, path), attributes),
    writeFile: (path, content, attributes) => remediator.writeFile(join(directory, path), content, attributes),
  }
}
