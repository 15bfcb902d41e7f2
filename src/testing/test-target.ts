import type { CommandOutcome } from '../host/command.ts'
import { openTarget } from '../host/open-target.ts'
import { type PlantedFile, plantFiles } from '../host/root/plant-files.ts'
import type { Target } from '../host/target.ts'
import { createTemporaryDirectories } from '../policy/fetch/temporary-directories.ts'

/** The contents of a test machine. */
export interface TestMachine {
  /** Files by absolute path. */
  readonly files?: Readonly<Record<string, PlantedFile>>
  /** Output of programs by command line (words separated by a blank); other programs cannot be started. */
  readonly commands?: Readonly<
    Record<string, { readonly exitCode?: number; readonly stdout?: string; readonly stderr?: string }>
  >
}

/** A test machine, which exists until it is removed. */
export interface TestTarget {
  /** Behaves like a system that is not running, except that its programs answer. */
  readonly target: Target
  /** The directory with its files. */
  readonly root: string
  /** Removes the machine with all its files. */
  readonly remove: () => Promise<void>
}

/** Creates a machine from files and program output, to test what a type observes on a machine other than this one. */
export async function testTarget({ files = {}, commands = {} }: TestMachine): Promise<TestTarget> {
  const directories = createTemporaryDirectories()
  const root = directories.create()
  plantFiles(root, files)
  const run: Target['run'] = ({ argv }) => {
    const answer = commands[argv.join(' ')]
    const outcome: CommandOutcome =
      answer === undefined
        ? { kind: 'not-started', message: `the test does not define the command ${argv.join(' ')}` }
        : exitedOutcome(answer)
    return Promise.resolve(outcome)
  }
  return { target: { ...(await openTarget(`root:${root}`)), run }, root, remove: () => directories.remove() }
}

function exitedOutcome({
  exitCode = 0,
  stdout = '',
  stderr = '',
}: NonNullable<TestMachine['commands']>[string]): CommandOutcome {
  return { kind: 'exited', exitCode, stdout, stderr, output: `${stdout}${stderr}` }
}
