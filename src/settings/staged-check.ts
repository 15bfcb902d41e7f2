import type { Writing } from './surface.ts'

/**
 * Only root can change anything in the directory, and no program reads a name in it that starts with a dot. What an earlier run left
 * that was killed goes first.
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
 * A check by a program that reads a whole configuration: a directory beside the files of another one, which is there for that
 * long, with links to all of them.
 * @param directory The directory whose files are linked to.
 * @param script Puts the candidate (`$1`) into the copy (`$staged`) of the directory (`$2`) and has the program read it.
 */
export function stagedCheck(directory: string, script: string): NonNullable<Writing['check']> {
  return (candidate) => ['sh', '-c', `${STAGE}${script}`, 'sh', candidate, directory]
}
