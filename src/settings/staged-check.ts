import type { Writing } from './surface.ts'

/**
 * Only root can change anything in the directory, and no program reads names with a leading dot. Leftovers of a killed
 * run are removed first.
 */
const STAGE = `set -e
umask 077
staged=$2/.driftgate-candidate.d
rm -rf "$staged"
trap 'rm -rf "$staged"' EXIT
mkdir "$staged"
for each in "$2"/*; do [ ! -e "$each" ] || ln -s "$each" "$staged/"; done
`

/**
 * A check by a program that reads a whole configuration: a temporary copy of the directory, made of links, in which the
 * candidate replaces its file.
 * @param directory The directory to copy.
 * @param script Puts the candidate (`$1`) into the copy (`$staged`) of the directory (`$2`) and runs the program.
 */
export function stagedCheck(directory: string, script: string): NonNullable<Writing['check']> {
  return (candidate) => ['sh', '-c', `${STAGE}${script}`, 'sh', candidate, directory]
}
