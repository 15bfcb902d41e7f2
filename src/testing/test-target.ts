import type { CommandOutcome } from '../host/command.ts'
import { openTarget } from '../host/open-target.ts'
import { type PlantedFile, plantFiles } from '../host/root/plant-files.ts'
import type { Target } from '../host/target.ts'
import { createTemporaryDirectories } from '../policy/fetch/temporary-directories.ts'

/** What a machine of a test has. */
export interface TestMachine {
  /** Its files, by their absolute paths. */
  readonly files?: Readonly<Record<string, PlantedFile>>
  /** What its programs answer, by the whole command with blanks between the words; others cannot be started. */
  readonly commands?: Readonly<
    Record<string, { readonly exitCode?: number; readonly stdout?: string; readonly stderr?: string }>
  >
}

/** A machine of a test that is there until it is removed. */
export interface TestTarget {
  /** To be looked at as any system that does not run, and whose programs answer all the same. */
  readonly target: Target
  /** The directory that its files lie in. */
  readonly root: string
  /** Takes the machine away, with all its files. */
  readonly remove: () => Promise<void>
}

/** Makes a machine of files and of answers of programs, for what a type observes of a machine that is not this one. */
export async function testTarget({ files = {}, commands = {} }: TestMachine): Promise<TestTarget> {
  const directories = createTemporaryDirectories()
  const root = directories.create()
  plantFiles(root, files)
  const run: Target['run'] = ({ argv }) => {
    const answer = commands[argv.join(' ')]
    const outcome: CommandOutcome =
      answer === undefined
        ? { kind: 'not-started', message: `the test says nothing of the command ${argv.join(' ')}` }
        : exited(answer)
    return Promise.resolve(outcome)
  }
  return { target: { ...(await openTarget(`root:${root}`)), run }, root, remove: () => directories.remove() }
}

function exited({
  exitCode = 0,
  stdout = '',
  stderr = '',
}: NonNullable<TestMachine['commands']>[string]): CommandOutcome {
  return { kind: 'exited', exitCode, stdout, stderr, output: `${stdout}${stderr}` }
}
