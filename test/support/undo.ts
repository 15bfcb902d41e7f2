import { join } from 'node:path'
import { type Machine, THIS_MACHINE } from '../../src/host/live/machine.ts'
import { NO_JOURNAL } from '../../src/host/live/journal.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import { type Barrier, createBarrier } from '../../src/engine/undo/barrier.ts'
import { openKeeping } from '../../src/engine/undo/keeping.ts'
import { type OwnStates, ownStatesOf } from '../../src/engine/undo/own-states.ts'
import { readJournal, type WrittenJournal } from '../../src/engine/undo/read-journal.ts'
import type { StepOwner } from '../../src/engine/undo/step.ts'
import { takeBack } from '../../src/engine/undo/take-back.ts'
import type { TakenBack } from '../../src/engine/undo/taken-back.ts'
import { temporaryDirectory } from './temporary.ts'

/** Makes the remediator of a resource that is known by its id alone. */
export type RemediatorFor = (id: string) => Remediator

/** What came of a fix and of taking it back. */
export interface Undone {
  readonly taken: readonly TakenBack[]
  readonly journal: WrittenJournal
}

const START = {
  schema: 'driftgate.report/v1',
  tool: { name: 'driftgate', version: '0' },
  target: { kind: 'local', hostname: 'host', os: { id: 'linux', version: '' } },
} as const

let runs = 0

/** Changes this machine, or another, as a fix does, lets others change it, and takes the fix back. */
export async function fixAndUndo(
  fix: (remediatorFor: RemediatorFor) => Promise<void>,
  meanwhile: () => void = () => undefined,
  machine = THIS_MACHINE,
): Promise<Undone> {
  const directory = temporaryDirectory()
  const fixing = openFix(directory, undefined, machine)
  await fix(fixing.remediatorFor)
  fixing.close()
  const journal = readJournal(fixing.path)
  if (typeof journal === 'string') throw new Error(journal)
  meanwhile()
  const taken = await openUndo(directory, journal, { machine }).takeBack()
  return { taken, journal }
}

export interface GoingUndo {
  /** Where its journal is. */
  readonly path: string
  readonly takeBack: () => Promise<readonly TakenBack[]>
}

/** What an undo in a test is otherwise than usual. */
export interface UndoInTest {
  readonly machine?: Machine
  readonly own?: OwnStates
  readonly alter?: (inner: Remediator) => Remediator
}

/** Makes an undo that keeps what it replaces below a directory. */
export function openUndo(
  directory: string,
  journal: WrittenJournal,
  { own = ownStatesOf([]), alter = (inner) => inner, machine = THIS_MACHINE }: UndoInTest,
): GoingUndo {
  const barrier = createBarrier()
  const { keeping, path } = open(directory, { barrier, machine })
  return {
    path,
    async takeBack() {
      const taken = await takeBack(journal, undefined, {
        target: machine.openTarget(),
        remediator: alter(machine.openRemediator({ ...NO_JOURNAL, beforeReplacing: barrier.pass })),
        recorder: keeping.recorder,
        directory: journal.directory,
        site: { root: machine.root, journal: NO_JOURNAL },
        own,
        force: false,
        signal: new AbortController().signal,
      })
      keeping.close()
      return taken
    },
  }
}

export interface GoingFix {
  readonly path: string
  readonly remediatorFor: RemediatorFor
  readonly close: () => void
}

/** Begins a fix that keeps what it replaces below a directory. `alter` makes its changes others. */
export function openFix(
  directory: string,
  alter: (inner: Remediator) => Remediator = (inner) => inner,
  machine = THIS_MACHINE,
): GoingFix {
  const barrier = createBarrier()
  const inner = alter(machine.openRemediator({ ...NO_JOURNAL, beforeReplacing: barrier.pass }))
  const { keeping, path } = open(directory, { barrier, machine })
  return { path, remediatorFor: (id) => keeping.remediatorFor(inner, ownerOf(id)), close: keeping.close }
}

function open(
  directory: string,
  { barrier, machine }: { readonly barrier: Barrier; readonly machine: Machine },
): { readonly keeping: ReturnType<typeof openKeeping>; readonly path: string } {
  const id = `run-${++runs}`
  const start = { ...START, run: { id, mode: 'fix', startedAt: new Date().toISOString() } } as const
  return {
    keeping: openKeeping({
      machine,
      directory,
      start,
      barrier,
      sequence: runs,
      pending: { conflict: () => undefined },
      policies: [],
    }),
    path: join(directory, id),
  }
}

function ownerOf(id: string): StepOwner {
  const source = { file: 'policy.yaml', line: 1, column: 1 }
  return { policy: 'policy', id, type: 'file', name: id, severity: 'medium', source }
}
