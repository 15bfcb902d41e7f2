/** What the scanner on the far side is started with: it takes its order from standard input. No word for people. */
export const CARRIED = '--carried'

/** The words behind which the far side answers: a login shell may have said anything before. */
export function markerOf(nonce: string): string {
  return `driftgate:${nonce} `
}

/** What the far side has to know to start the scanner. */
export interface Start {
  readonly nonce: string
  readonly version: string
  /** What is to be copied there if it is missing; nothing can be copied where it is absent. */
  readonly program: { readonly sha256: string; readonly size: number; readonly machine: string } | undefined
  /** What the scanner is started by, such as `sudo -n`. */
  readonly become: readonly string[]
}

/** The command that is run on the far side: it starts the scanner that is installed there, or the copy, which it asks for. */
export function startCommand({ nonce, version, program, become }: Start): readonly [string, ...string[]] {
  const copy = program === undefined ? ['-', '0', '-'] : [program.sha256, String(program.size), program.machine]
  return ['sh', '-c', START_SCRIPT, 'sh', nonce, version, ...copy, ...become]
}

/**
 * Plain POSIX, on one line, without quotes, backslashes or exclamation marks that would mean something to any login shell
 * between single quotes. Everything that varies is a parameter.
 *
 * 1 nonce, 2 version, 3 sha256 of the program or -, 4 its size, 5 its machine type, then what becomes another user.
 *
 * It says one of these behind the marker: `system`, `no-sum`, `missing`, `machine`, `nowhere`, `need`, `damaged`, `unfit`;
 * or it becomes the scanner, which says `hello`.
 */
export const START_SCRIPT: string = [
  'set -f',
  'q=$(umask)',
  'umask 077',
  'n=$1 v=$2 s=$3 z=$4 a=$5',
  'shift 5',
  'say() { echo; echo "driftgate:$n $*"; }',
  `go() { umask "$q"; exec "$@" ${CARRIED} "$n"; }`,
  // A private place can be trusted.
  'own() { d=$1; case $d in /*) ;; "") why="there is no home"; return 1;; *) why="it is no path"; return 1;; esac;' +
    ' if test -h "$d"; then why="it is a symbolic link"; return 1; fi;' +
    // Another scan may be faster in making it.
    ' if test -d "$d"; then :; else why=$(mkdir -p "${d%/*}" 2>&1 && mkdir "$d" 2>&1) || test -d "$d" || return 1; fi;' +
    ' set -- $(LC_ALL=C ls -ldn "$d" 2>/dev/null);' +
    ' case $1 in drwx------*) ;; *) why="others may enter it"; return 1;; esac;' +
    ' if test "$3" = "$u"; then return 0; fi; why="it belongs to another user"; return 1; }',
  'sum() { h=$(sha256sum < "$1" 2>/dev/null); h=${h%% *}; test "$h" = "$s"; }',
  'k=$(uname -s) m=$(uname -m) u=$(id -u)',
  'if test "$k" = Linux; then :; else say system "$k"; exit 0; fi',
  'i=$(command -v driftgate 2>/dev/null)',
  'w=',
  'case $i in /*) w=$(driftgate --version 2>/dev/null </dev/null); if test "$w" = "$v"; then go "$@" "$i"; fi;; esac',
  'if test "$s" = -; then say missing "$w"; exit 0; fi',
  'if test "$a" = any || test "$a" = "$m"; then :; else say machine "$m"; exit 0; fi',
  'if command -v sha256sum >/dev/null 2>&1; then :; else say no-sum; exit 0; fi',
  'b=driftgate-$v-linux-$m',
  // Without a home there is no place in it.
  'c=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} t="/var/tmp/driftgate-$u" x="/tmp/driftgate-$u"',
  'c=${c:+$c/driftgate}',
  'for p in "$c" "$t" "$x"; do if test -d "$p" && own "$p" && test -f "$p/$b" && sum "$p/$b"; then go "$@" "$p/$b"; fi; done',
  // A place is good for a copy if there is room in it, and if what lies there can be run.
  'fits() { l=$(LC_ALL=C df -Pk "$1" 2>/dev/null | { read -r l; read -r l l l y l; echo "$y"; });' +
    ' test "${l:-0}" -gt "$((z / 1024))" 2>/dev/null; }',
  'good() { own "$p" || return 1; f="$p/$b.$$";' +
    ' why="it has no room for it"; fits "$p" || return 1;' +
    ' why="it cannot be written to"; (echo exit 0 > "$f" && chmod 700 "$f") 2>/dev/null || return 1;' +
    ' why="nothing that lies there can be run"; "$f" >/dev/null 2>&1 </dev/null; }',
  'f=',
  'trap "exit 1" HUP INT TERM',
  'trap clean EXIT',
  'clean() { if test -n "$f"; then rm -f "$f"; fi; }',
  'all=',
  'for p in "$c" "$t" "$x"; do if good; then all=; break; fi; clean; rmdir "$p" 2>/dev/null; all="$all$p: $why; "; done',
  'if test -n "$all"; then say nowhere "${all%; }"; exit 0; fi',
  'say need',
  'head -c "$z" > "$f"',
  'if sum "$f"; then :; else say damaged; exit 0; fi',
  'chmod 700 "$f"',
  'o=$("$f" --version 2>&1 </dev/null)',
  'if test "$o" = "$v"; then :; else say unfit $o; exit 0; fi',
  'mv -f "$f" "$p/$b" && go "$@" "$p/$b"',
].join('; ')
