import { defined } from '../../model/defined.ts'
import type { Command } from '../../host/command.ts'
import {
  attributesOf,
  directoryOf,
  type Intent,
  type Keep,
  missingAbove,
  keptPaths,
  withTarget,
  withBelow,
} from '../../host/keeping.ts'
import type { FileWriters } from '../../host/live/file-writers.ts'
import type { Remediator, WritableSubject } from '../../host/remediator.ts'
import { openSubjects } from '../../host/subject.ts'
import type { Target } from '../../host/target.ts'
import type { Recorder } from './recorder.ts'
import type { StepOwner } from './step.ts'

export interface Keeping {
  readonly inner: Remediator
  readonly recorder: Recorder
  readonly target: Target
  readonly owner: StepOwner
}

/** Wraps `inner` for one resource, with a backup of replaced state. */
export function keepingRemediator({ inner, recorder, target, owner }: Keeping): Remediator {
  const keep: Keep = (intent, action) => recorder.perform(owner, intent, action)
  const keepStaged: Keep = (intent, action) => recorder.performStaged(owner, intent, action)
  const keeper = { target, keep, ...defined({ runsNothing: inner.runsNothing }) }
  const subjects = openSubjects((subject: WritableSubject<object>) =>
    subject.write.keeping(inner.open(subject), keeper),
  )
  return {
    ...defined({ runsNothing: inner.runsNothing }),
    ...keepingFiles({ inner, target, keep, keepStaged }),
    open: subjects.open as Remediator['open'],
    async run(command) {
      const outcome = await keep(undoOf(command), () => inner.run(command))
      return outcome.kind === 'failed' ? { kind: 'not-started', message: outcome.message } : outcome
    },
  }
}

interface Work extends Pick<Keeping, 'inner' | 'target'> {
  readonly keep: Keep
  readonly keepStaged: Keep
}

function keepingFiles({ inner, target, keep, keepStaged }: Work): FileWriters {
  const whole = (path: string): Intent => keptPaths([path])
  const replaced = (path: string): Intent => ({ ...whole(path), replaces: true })
  const written = (path: string): Intent => ({ things: [{ kind: 'path', name: path, inPlace: true }] })
  const outside = (path: string): Intent => attributesOf([path])
  return {
    writeFile: (path, content, attributes, options) =>
      options?.inPlace === true
        ? keep(written(path), () => inner.writeFile(path, content, attributes, options))
        : keepStaged(replaced(path), () => inner.writeFile(path, content, attributes)),
    editText: (path, edit) => keep(keptPaths(withTarget(target, path)), () => inner.editText(path, edit)),
    setAttributes: (path, attributes) => keep(outside(path), () => inner.setAttributes(path, attributes)),
    setAccess: (path, change) => keep(outside(path), () => inner.setAccess(path, change)),
    adjustAttributes: (path, settle) => keep(outside(path), () => inner.adjustAttributes(path, settle)),
    setOwner: (path, ownership, options) =>
      keep(options?.recursive === true ? withBelow(target, path) : outside(path), () =>
        inner.setOwner(path, ownership, options),
      ),
    createDirectory: (path, attributes) =>
      keep(directoryOf(target, path), () => inner.createDirectory(path, attributes)),
    remove: (path, options) => keep(replaced(path), () => inner.remove(path, options)),
    removeEmptyDirectory: (path) => keep(whole(path), () => inner.removeEmptyDirectory(path)),
    download: (request) => keep(whole(request.path), () => inner.download(request)),
    extract: (request) =>
      keep(attributesOf(missingAbove(target, request.directory)), () =>
        inner.extract({ ...request, placing: (paths, move) => keep(keptPaths(paths), async () => move()) }),
      ),
  }
}

function undoOf({ argv, undo }: Command): Intent {
  switch (undo?.kind) {
    case 'again':
      return { again: undo.command, ...(undo.writes !== undefined && { ...keptPaths(undo.writes), unlessBack: true }) }
    case 'command':
      return { back: undo.command }
    case 'files':
      return keptPaths(undo.paths)
    case 'impossible':
      return { lost: undo.reason }
    case undefined:
      return { lost: `no undo is known for ${argv[0]}` }
  }
}
