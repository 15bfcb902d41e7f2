/** What a program says, and what it means: the end of a sentence about the place. */
export type Meaning = readonly [said: RegExp, means: string]

/** What runtimes of containers say, each in its own words, of a program that is not in one. */
export const NO_SHELL: Meaning = [
  /exec: \\?"(?:sh|\/bin\/sh)\\?": .*not found|executable file `sh` not found|stat sh: no such file/,
  'it has no shell that driftgate could be started with: scan its image with --target image:PATH',
]

/** The first that fits; undefined where none does. */
export function meaningOf(said: string, meanings: readonly Meaning[]): string | undefined {
  return meanings.find(([pattern]) => pattern.test(said))?.[1]
}
