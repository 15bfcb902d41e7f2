import type { ContentDigest } from '../model/drift.ts'
import { absent, known, type Reading, type Unknown, unknown } from '../model/observation.ts'
import type { BeyondMode } from '../host/access.ts'
import type { Remediator } from '../host/remediator.ts'
import { openSubjects } from '../host/subject.ts'
import type { Answers, Readable, ReadableSubject, Exhibit, Target, TargetFiles } from '../host/target.ts'

/**
 * A machine that passes every answer through `answers`. Its identity (system, display names) and its choice of
 * providers stay unchanged.
 */
export function withAnswers(machine: Target, answers: Answers): Target {
  const { observe, read, now } = answers
  const { probe } = machine
  const subjects = openSubjects(
    (subject: ReadableSubject<object>) =>
      subject.read.answering?.(machine.open(subject), answers) ?? subject.read.live(described),
  )
  const texts: Pick<TargetFiles, 'readText' | 'list'> = {
    readText: (path) => now('probe', () => probe.readText(path), null),
    list: (path) => now('probe', () => probe.list(path), null),
  }
  const described: Target = {
    kind: machine.kind,
    system: machine.system,
    probe: {
      machine: probe.machine,
      addresses: () => probe.addresses(),
      filesystemUsage: (path) => probe.filesystemUsage(path),
      ...texts,
    },
    open: subjects.open as Target['open'],
    access: answeringAccess(machine.access, answers),
    trees: answeringTrees(machine.trees, observe),
    files: {
      ...texts,
      lstat: (path) => observe('lstat', () => machine.files.lstat(path)),
      stat: (path) => observe('stat', () => machine.files.stat(path)),
      digest: (path, stat) => read('digest', () => machine.files.digest(path, stat), EMPTY_FILE),
      readHead: (path, maxBytes) => now('readHead', () => machine.files.readHead(path, maxBytes), new Uint8Array()),
      readExhibit: (path, maxBytes) =>
        now('readExhibit', () => machine.files.readExhibit(path, maxBytes), EMPTY_EXHIBIT),
      isDirectoryEmpty: (path) => now('isDirectoryEmpty', () => machine.files.isDirectoryEmpty(path), true),
      listTree: (path) => now('listTree', () => machine.files.listTree(path), []),
      mountsWithin: (path) => now('mountsWithin', () => machine.files.mountsWithin(path), []),
      linkTarget: (path) => now('linkTarget', () => machine.files.linkTarget(path), ''),
      realPath: (path) => now('realPath', () => machine.files.realPath(path), null),
    },
    names: {
      userId: (name) => read('userId', () => machine.names.userId(name), null),
      groupId: (name) => read('groupId', () => machine.names.groupId(name), null),
      findUserName: (uid) => read('findUserName', () => machine.names.findUserName(uid), null),
      findGroupName: (gid) => read('findGroupName', () => machine.names.findGroupName(gid), null),
      userName: (uid) => machine.names.userName(uid),
      groupName: (gid) => machine.names.groupName(gid),
    },
    forget(touched) {
      machine.forget(touched)
      subjects.forget(touched)
    },
    async run(command) {
      const answer = await read('run', async () => known(await machine.run(command)), NOT_THERE)
      return answer.kind === 'known' ? answer.value : { kind: 'not-started', message: answer.detail }
    },
  }
  return described
}

function answeringAccess(access: Target['access'], { now }: Answers): Target['access'] {
  return {
    async beyondMode(paths) {
      const seen = await access.beyondMode(paths)
      return seen.map((each) => now('access', () => each, NOTHING_BEYOND))
    },
    async flags(paths) {
      const seen = await access.flags(paths)
      return seen.map((each) => now('access', () => each, undefined))
    },
    wayTo: (path, how) => now('access', () => access.wayTo(path, how), []),
    forget: () => access.forget(),
  }
}

const NOTHING_BEYOND: BeyondMode = { acl: undefined, defaultAcl: undefined, capabilities: undefined }

function answeringTrees(trees: Target['trees'], observe: Answers['observe']): Target['trees'] {
  return {
    async find(query) {
      const seen = await trees.find(query)
      return observe('trees', () => seen)
    },
  }
}

// sha256 of empty content.
const EMPTY_FILE: ContentDigest = {
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  sizeBytes: 0,
}

const EMPTY_EXHIBIT: Exhibit = { kind: 'shown', bytes: new Uint8Array() }

const NOT_THERE = { kind: 'not-started', message: 'program not found' } as const

/** Answers to questions of every kind. */
export function answersOf({ observe, read }: Omit<Answers, 'now'>): Answers {
  return { observe, read, now: (name, ask, nothing) => requireSettled(read(name, ask, nothing)) }
}

/** Keeps a synchronous read synchronous. Throws an `Error` if it became asynchronous. */
function requireSettled<Value>(answer: Readable<Value>): Reading<Value> {
  if (answer instanceof Promise) throw new Error('a machine answered later that answers at once')
  return answer
}

/** Answers of an empty machine. */
export const NOTHING: Answers = answersOf({
  observe: () => absent(),
  read: (_name, _ask, nothing) => known(nothing),
})

/** Answers with hidden parts. `isHidden` receives the number of each question, counted from 0. */
export function hideAnswers(isHidden: (question: number) => boolean): Answers & { readonly asked: () => number } {
  let questions = 0
  const answers = answersOf({
    observe: (name, ask) => (isHidden(questions++) ? hiddenReading(name) : ask()),
    read: (name, ask) => (isHidden(questions++) ? hiddenReading(name) : ask()),
  })
  return { ...answers, asked: () => questions }
}

function hiddenReading(name: string): Unknown {
  return unknown('permission-denied', `the contract suite blocks access to this (${name})`)
}

export function countCalls(remediator: Remediator): { readonly remediator: Remediator; readonly calls: () => number } {
  let calls = 0
  const watch = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'function') {
          return (...args: unknown[]): unknown => {
            calls++
            return Reflect.apply(member, target, args)
          }
        }
        return typeof member === 'object' && member !== null ? watch(member) : member
      },
    })
  return { remediator: watch(remediator), calls: () => calls }
}
