/** Internal argument that makes the remote scanner read its job from standard input. */
export const CARRIED = '--carried'

/** Prefix of the remote answers: a login shell may print other text before. */
export function markerOf(nonce: string): string {
  return `driftgate:${nonce} `
}

/** Parameters of the start script. */
export interface Start {
  readonly nonce: string
  readonly version: string
  /** Program to copy if it is missing; absent if none can be copied. */
  readonly program: { readonly sha256: string; readonly size: number; readonly machine: string } | undefined
  /** Command prefix, such as `sudo -n`. */
  readonly become: readonly string[]
}

/** Remote command that starts the installed scanner, or a copy that it requests. */
export function startCommand({ nonce, version, program, become }: Start): readonly [string, ...string[]] {
  const copy = program === undefined ? ['-', '0', '-'] : [program.sha256, String(program.size), program.machine]
  return ['sh', '-c', START_SCRIPT, 'sh', nonce, version, ...copy, ...become]
}

/**
 * Plain POSIX shell on one line, without quotes, backslashes or exclamation marks that a login shell could interpret
 * between single quotes. All variable parts are parameters.
 *
 * 1 nonce, 2 version, 3 sha256 of the program or -, 4 its size, 5 its machine type, then the command prefix.
 *
 * Prints one of these after the marker: `system`, `no-sum`, `missing`, `machine`, `nowhere`, `need`, `damaged`,
 * `unfit`; otherwise it replaces itself with the scanner, which prints `hello`.
 */
export const START_SCRIPT: string = [
  'set -f',
  'q=$(umask)',
  'umask 077',
  'n=$1 v=$2 s=$3 z=$4 a=$5',
  'shift 5',
  'say() { echo; echo "driftgate:$n $*"; }',
  `go() { umask "$q"; exec "$@" ${CARRIED} "$n"; }`,
  // Accept only a private directory of this user.
  'own() { d=$1; case $d in /*) ;; "") why="no home directory"; return 1;; *) why="not an absolute path"; return 1;; esac;' +
    ' if test -h "$d"; then why="it is a symbolic link"; return 1; fi;' +
    // Another scan may create it first.
    ' if test -d "$d"; then :; else why=$(mkdir -p "${d%/*}" 2>&1 && mkdir "$d" 2>&1) || test -d "$d" || return 1; fi;' +
    ' set -- $(LC_ALL=C ls -ldn "$d" 2>/dev/null);' +
    ' case $1 in drwx------*) ;; *) why="other users can enter it"; return 1;; esac;' +
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
  // Without a home there is no cache directory.
  'c=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} t="/var/tmp/driftgate-$u" x="/tmp/driftgate-$u"',
  'c=${c:+$c/driftgate}',
  'for p in "$c" "$t" "$x"; do if test -d "$p" && own "$p" && test -f "$p/$b" && sum "$p/$b"; then go "$@" "$p/$b"; fi; done',
  // A directory is suitable if it has space and is not mounted noexec.
  'fits() { l=$(LC_ALL=C df -Pk "$1" 2>/dev/null | { read -r l; read -r l l l y l; echo "$y"; });' +
    ' test "${l:-0}" -gt "$((z / 1024))" 2>/dev/null; }',
  'good() { own "$p" || return 1; f="$p/$b.$$";' +
    ' why="not enough space"; fits "$p" || return 1;' +
    ' why="not writable"; (echo exit 0 > "$f" && chmod 700 "$f") 2>/dev/null || return 1;' +
    ' why="mounted noexec"; "$f" >/dev/null 2>&1 </dev/null; }',
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
