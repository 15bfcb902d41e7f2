import type { Target } from '../target.ts'
import { readDigest, readDirectoryEmpty, readFileHead, readFollowedStat, readLstat } from './file-reader.ts'
import { createLocalProbe } from './probe.ts'
import { runCommand } from './run-command.ts'
import { describeSystem } from './system.ts'
import { readRealPath, readTree } from './tree-reader.ts'
import { openAccounts } from './users.ts'

/** The machine this process runs on, read-only. Make one per run: the user database is read once. */
export function createLocalTarget(): Target {
  const users = openAccounts({ file: '/etc/passwd', service: 'passwd' })
  const groups = openAccounts({ file: '/etc/group', service: 'group' })
  return {
    kind: 'local',
    system: describeSystem(),
    probe: createLocalProbe(),
    lstat: readLstat,
    stat: readFollowedStat,
    digest: readDigest,
    readHead: readFileHead,
    isDirectoryEmpty: readDirectoryEmpty,
    listTree: readTree,
    realPath: readRealPath,
    userId: (name) => users.id(name),
    groupId: (name) => groups.id(name),
    userName: (uid) => users.name(uid),
    groupName: (gid) => groups.name(gid),
    forget() {
      users.forget()
      groups.forget()
    },
    run: runCommand,
  }
}
