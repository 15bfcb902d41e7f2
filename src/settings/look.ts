import type { MachineReading } from '../host/live/machine-reading.ts'
import type { HasFiles, ReadableSubject, Target } from '../host/target.ts'
import { known } from '../model/observation.ts'
import type { ConfigFiles } from './surface.ts'

/** The source of configuration. */
export type FileProbe = Pick<Target, 'probe'> & HasFiles<'stat' | 'realPath' | 'readHead'>

/** The configuration files of a machine for readers of systemd; a link to /dev/null counts as empty. */
export function unitFilesOf(machine: MachineReading): Pick<ConfigFiles, 'text' | 'names' | 'real'> {
  return {
    names: (directory) => machine.list(directory),
    real: (path) => machine.realPath(path),
    text(path) {
      const leadsTo = machine.realPath(path)
      return leadsTo.kind === 'known' && leadsTo.value === '/dev/null' ? known('') : machine.readText(path)
    },
  }
}

interface Looks {
  /** The shared probe; a machine with altered answers is used itself. */
  readonly of: (machine: FileProbe) => FileProbe
  readonly forget: () => void
}

const LOOKS: ReadableSubject<Looks> = {
  name: 'looks',
  read: { live: openLooks, atRest: openLooks },
}

/** A caching probe of a machine, shared by all readers of its configuration until the machine's cache is dropped. */
export function lookAt(machine: FileProbe & Partial<Pick<Target, 'open'>>): FileProbe {
  return machine.open?.(LOOKS).of(machine) ?? machine
}

function openLooks(host: FileProbe): Looks {
  let look: FileProbe | undefined
  return {
    of(machine) {
      const {
        probe,
        files: { stat, realPath, readHead },
      } = machine
      const isHost =
        probe === host.probe &&
        stat === host.files.stat &&
        realPath === host.files.realPath &&
        readHead === host.files.readHead
      return isHost ? (look ??= keepingLook(host)) : machine
    },
    forget() {
      look = undefined
    },
  }
}

function keepingLook({ probe, files: { stat, realPath, readHead } }: FileProbe): FileProbe {
  return {
    probe: {
      ...probe,
      readText: cacheAnswers((path) => probe.readText(path)),
      list: cacheAnswers((path) => probe.list(path)),
    },
    files: { stat: cacheAnswers(stat), realPath: cacheAnswers(realPath), readHead },
  }
}

function cacheAnswers<Answer extends object>(ask: (path: string) => Answer): (path: string) => Answer {
  const answers = new Map<string, Answer>()
  return (path) => {
    const earlier = answers.get(path)
    if (earlier !== undefined) return earlier
    const answer = ask(path)
    answers.set(path, answer)
    return answer
  }
}
