/** A pattern of a program's output and its meaning, as the end of a sentence about the target. */
export type Meaning = readonly [said: RegExp, means: string]

/** Messages of container runtimes about a missing program. */
export const NO_SHELL: Meaning = [
  /exec: \\?"(?:sh|\/bin\/sh)\\?": .*not found|executable file `sh` not found|stat sh: no such file/,
  'it has no shell to start driftgate with: scan its image with --target image:PATH',
]

/** First matching meaning; undefined without a match. */
export function meaningOf(said: string, meanings: readonly Meaning[]): string | undefined {
  return meanings.find(([pattern]) => pattern.test(said))?.[1]
}
