import { hostname, release } from 'node:os'
import type { PolicyFiles, ReadableSubject, Target, TargetSystem } from '../target.ts'
import { openAccessReader } from './access/reader.ts'
import { readDigest, readDirectoryEmpty, readFileHead } from './file-reader.ts'
import { readFollowedStat, readLstat } from './file-stat.ts'
import { readExhibit } from './exhibit.ts'
import { mountsWithin } from './mounts.ts'
import { findHanging } from './hanging.ts'
import { openSubjects } from '../subject.ts'
import { createLocalProbe } from './probe.ts'
import { runCommand } from './run-command.ts'
import { readLinkTarget, readRealPath, readTree } from './tree-reader.ts'
import { openFileTrees } from './trees/trees.ts'
import { openAccounts } from './users.ts'
import { textFromBytes } from '../byte-text.ts'
import { parseOsRelease } from '../os-release.ts'
import { readWhole } from './read-whole.ts'
import { errorCode } from './system-error.ts'

const LARGEST_FILE_BYTES = 1024 * 1024

// The first existing file is used. @see os-release(5)
const OS_RELEASE_FILES = ['/etc/os-release', '/usr/lib/os-release']

// @see machine-id(5)
const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id']

// @see random(4)
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

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

/** Describes this machine; platform name and release are used if it has no os-release file. */
export function describeSystem(): TargetSystem {
  const fields = parseOsRelease(readFirst(OS_RELEASE_FILES))
  const identity = readFirst(MACHINE_ID_FILES).trim()
  const boot = readFirst([BOOT_ID_FILE]).trim()
  return {
    platform: process.platform,
    hostname: hostname(),
    os: { id: fields.get('ID') ?? process.platform, version: fields.get('VERSION_ID') ?? release() },
    ...(identity === '' ? {} : { identity }),
    ...(boot === '' ? {} : { boot }),
  }
}

function readFirst(files: readonly string[]): string {
  for (const file of files) {
    try {
      return textFromBytes(readWhole(file, LARGEST_FILE_BYTES))
    } catch (error) {
      if (errorCode(error) === undefined) throw error
    }
  }
  return ''
}
