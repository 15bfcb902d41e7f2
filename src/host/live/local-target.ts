import type { PolicyFiles, Target, ReadableSubject } from '../target.ts'
import { openAccessReader } from './access/reader.ts'
import { readDigest, readDirectoryEmpty, readFileHead } from './file-reader.ts'
import { readFollowedStat, readLstat } from './file-stat.ts'
import { readExhibit } from './exhibit.ts'
import { mountsWithin } from './mounts.ts'
import { findHanging } from './hanging.ts'
import { openSubjects } from '../subject.ts'
import { createLocalProbe } from './probe.ts'
import { runCommand } from './run-command.ts'
import { describeSystem } from './system.ts'
import { readLinkTarget, readRealPath, readTree } from './tree-reader.ts'
import { openFileTrees } from './trees/trees.ts'
import { openAccounts } from './users.ts'

/** The uncached file operations. */
const FILES = {
  lstat: readLstat,
  stat: readFollowedStat,
  digest: readDigest,
  readHead: readFileHead,
  isDirectoryEmpty: readDirectoryEmpty,
  listTree: readTree,
  mountsWithin,
  linkTarget: readLinkTarget,
  realPath: readRealPath,
  findHanging,
} as const

/** Reads files beside policies if the target is another machine; owners are shown as numbers. */
export const LOCAL_POLICY_FILES: PolicyFiles = {
  ...FILES,
  readExhibit: (path, maxBytes) =>
    readExhibit(path, maxBytes, { names: { userName: () => undefined, groupName: () => undefined } }),
}

/** Target for the machine that this process runs on. Create one per run: users and packages are cached. */
export function createLocalTarget(): Target {
  const users = openAccounts({ file: '/etc/passwd', service: 'passwd' })
  const groups = openAccounts({ file: '/etc/group', service: 'group' })
  const access = openAccessReader()
  const trees = openFileTrees()
  const subjects = openSubjects((subject: ReadableSubject<object>) => subject.read.live(target))
  const names = {
    userName: (uid: number) => users.name(uid),
    groupName: (gid: number) => groups.name(gid),
  }
  const probe = createLocalProbe()
  const target: Target = {
    kind: 'local',
    system: describeSystem(),
    probe,
    files: {
      ...FILES,
      readText: probe.readText,
      list: probe.list,
      readExhibit: (path, maxBytes) => readExhibit(path, maxBytes, { names }),
    },
    names: {
      ...names,
      userId: (name) => users.id(name),
      groupId: (name) => groups.id(name),
      findUserName: (uid) => users.findName(uid),
      findGroupName: (gid) => groups.findName(gid),
    },
    access,
    trees,
    open: subjects.open as Target['open'],
    forget(touched) {
      for (const reader of [users, groups, access, trees]) reader.forget(touched)
      subjects.forget(touched)
    },
    run: runCommand,
  }
  return target
}
