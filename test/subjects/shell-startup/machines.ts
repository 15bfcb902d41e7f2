import fc from 'fast-check'

/** Debian's own file, in which `PS1` and `BASH` say what is read. */
export const DEBIAN_PROFILE = `
if [ "$(id -u)" -eq 0 ]; then
  PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
else
  PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
fi
export PATH

if [ "\${PS1-}" ]; then
  if [ "\${BASH-}" ] && [ "$BASH" != "/bin/sh" ]; then
    if [ -f /etc/bash.bashrc ]; then
      . /etc/bash.bashrc
    fi
  else
    if [ "$(id -u)" -eq 0 ]; then PS1='# '; else PS1='$ '; fi
  fi
fi

if [ -d /etc/profile.d ]; then
  for i in /etc/profile.d/*.sh; do
    if [ -r $i ]; then
      . $i
    fi
  done
  unset i
fi
`

/** Debian's own file, which ends for a shell without a prompt. */
export const DEBIAN_BASHRC = `
[ -z "$PS1" ] && return
shopt -s checkwinsize
if [ -z "\${debian_chroot:-}" ] && [ -r /etc/debian_chroot ]; then
    debian_chroot=$(cat /etc/debian_chroot)
fi
if ! [ -n "\${SUDO_USER}" -a -n "\${SUDO_PS1}" ]; then
  PS1='\${debian_chroot:+($debian_chroot)}\\u@\\h:\\w\\$ '
fi
#case "$TERM" in
if [ -x /usr/lib/command-not-found -o -x /usr/share/command-not-found/command-not-found ]; then
	function command_not_found_handle {
                if [ -x /usr/lib/command-not-found ]; then
		   /usr/lib/command-not-found -- "$1"
                   return $?
		else
		   printf "%s: command not found\\n" "$1" >&2
		   return 127
		fi
	}
fi
`

/** What Red Hat's file consists of: a function for PATH, two umasks by who logs in, and a loop that asks for \`i\`. */
export const RED_HAT_PROFILE = `
pathmunge () {
    case ":\${PATH}:" in
        *:"$1":*)
            ;;
        *)
            if [ "$2" = "after" ] ; then
                PATH=$PATH:$1
            else
                PATH=$1:$PATH
            fi
    esac
}
if [ -x /usr/bin/id ]; then
    if [ -z "$EUID" ]; then
        EUID=\`/usr/bin/id -u\`
        UID=\`/usr/bin/id -ru\`
    fi
    USER="\`/usr/bin/id -un\`"
fi
if [ "$EUID" = "0" ]; then
    pathmunge /usr/sbin
    pathmunge /usr/local/sbin
else
    pathmunge /usr/local/sbin after
fi
export PATH USER
if [ $UID -gt 199 ] && [ "\`/usr/bin/id -gn\`" = "\`/usr/bin/id -un\`" ]; then
    umask 002
else
    umask 022
fi
for i in /etc/profile.d/*.sh /etc/profile.d/sh.local ; do
    if [ -r "$i" ]; then
        if [ "\${-#*i}" != "$-" ]; then
            . "$i"
        else
            . "$i" >/dev/null
        fi
    fi
done
unset i
unset -f pathmunge
if [ -n "\${BASH_VERSION-}" ] ; then
        if [ -f /etc/bashrc ] ; then
                . /etc/bashrc
       fi
fi
`

/** What Red Hat's other file consists of: it is read once, and reads what the first does where that was not read. */
export const RED_HAT_BASHRC = `
if [ -z "$BASHRCSOURCED" ]; then
  BASHRCSOURCED="Y"
  if [ "$PS1" ]; then
    if [ -z "$PROMPT_COMMAND" ]; then
      case $TERM in
      xterm*|vte*)
        if [ -e /etc/sysconfig/bash-prompt-xterm ]; then
            PROMPT_COMMAND=/etc/sysconfig/bash-prompt-xterm
        else
            PROMPT_COMMAND='printf "%s@%s" "\${USER}" "\${HOSTNAME%%.*}"'
        fi
        ;;
      *)
        [ -e /etc/sysconfig/bash-prompt-default ] && PROMPT_COMMAND=/etc/sysconfig/bash-prompt-default
        ;;
      esac
    fi
    shopt -s histappend
    history -a
    [ "$PS1" = "\\\\s-\\\\v\\\\\\$ " ] && PS1="[\\u@\\h \\W]\\\\$ "
  fi
  if ! shopt -q login_shell ; then
    [ \`umask\` -eq 0 ] && umask 022
    SHELL=/bin/bash
    for i in /etc/profile.d/*.sh; do
        if [ -r "$i" ]; then
            if [ "$PS1" ]; then
                . "$i"
            else
                . "$i" >/dev/null
            fi
        fi
    done
    unset i
  fi
fi
`

/** Lines of which it is known what shells make of them. */
const plain = fc.constantFrom(
  'umask 027',
  'umask 0027',
  'umask 22',
  'umask u=rwx,g=rx,o=',
  'umask g-w,o-rwx',
  'umask a=rx,u+w',
  '\tumask   077   # private',
  'umask -S > /dev/null',
  'umask -S 027 >/dev/null',
  '"um"ask 007',
  'command umask 026',
  '# umask 000',
  'TMOUT=600',
  'TMOUT=900; export TMOUT',
  'export TMOUT=300',
  "TMOUT='450'",
  'unset TMOUT',
  'if false; then umask 000; fi',
  'if true; then umask 037; else umask 000; fi',
  'false && umask 000',
  'true || umask 000',
  'false || umask 033',
  ': umask 000',
  'echo umask 000 > /dev/null',
  '(umask 000)',
  '{ umask 027; }',
  'echo | umask 000',
  'umask 000 &',
  'case x in y) umask 000;; x) umask 023;; esac',
  'case "$-" in *i*) umask 025;; *) umask 024;; esac',
  '[ "$PS1" ] && umask 067',
  'if [ -n "$BASH_VERSION" ]; then umask 076; fi',
  'if [ -n "${BASH-}" ] && [ "${BASH-}" != /bin/sh ]; then TMOUT=111; fi',
  '[ "$(id -u)" -eq 0 ] && umask 057',
  'if [ "$(id -u)" = 0 ]; then umask 070; else umask 027; fi',
  'X=027; umask $X',
  'X=026\numask "${X:-000}"',
  'umask ${NONE:-055}',
  'for m in 022 027; do umask $m; done',
  'f() { umask 035; }; f',
  'g() { umask 000; }',
  'f() { return 1; umask 000; }; f || umask 031',
  'h() { umask "$1"; }\nh 021',
  'cat <<EOF > /dev/null\numask 000\nEOF',
  "X='\numask 000\n'",
  'umask 02\\\n7',
  '[ -f /etc/nothing ] || umask 017',
  '[ -r /etc/profile ] && umask 016',
  'test ! -e /etc/profile || umask 015',
  '. /etc/more',
  '[ -d /etc/profile.d ] && umask 014',
  'while false; do umask 000; done',
  'i=1; while [ "$i" = 1 ]; do umask 013; i=2; done',
  'for i in a b; do if [ $i = b ]; then break; fi; umask 012; done',
  '! false && umask 011',
  'return 0; umask 000',
  'true && return; umask 000',
  'Y=$(umask 000; echo 1)',
  'PATH=$PATH:/opt/bin',
  'export PATH="/snap/bin:$PATH"',
  'if [ -n "${PATH##*/opt/bin*}" ]; then PATH="$PATH:/opt/bin"; fi',
  'eval "umask 010"',
  'eval umask 027',
  'if [ `umask` -eq 0 ]; then umask 022; fi',
  'if [ "$(umask)" = 0027 ]; then umask 007; fi',
)

/** Lines after which TMOUT cannot be changed, of which shells make different things if there are several. */
const lasting = fc.constantFrom(
  'readonly TMOUT=600',
  'TMOUT=900; readonly TMOUT; export TMOUT',
  'readonly TMOUT=60\numask 027',
)

/** Lines whose effect is known only by running them. */
const refused = fc.constantFrom(
  'umask 9',
  'if [ -n "$LANG" ]; then umask 000; fi',
  'if date > /dev/null; then umask 001; fi',
  'eval "$(echo umask 002)"',
  'umask $(echo 003)',
  'TMOUT=$(echo 5)',
  '. $(echo /etc/more)',
  'umask 027 > /tmp/nowhere/x',
  'declare -r TMOUT=30',
  'typeset TMOUT=31',
  'source /etc/more',
  'if [[ -n $PS1 ]]; then umask 004; fi',
  'function k { umask 005; }; k',
  'umask 0$((2 + 4))5',
  'set -e',
  'readonly TMOUT=1; TMOUT=2; umask 000',
  'if',
  'umask 000; fi',
  'shopt -s nullglob; umask 007',
  '((TMOUT = 7))',
  'trap "umask 000" EXIT',
  'alias umask=true',
  'cd / && umask 010',
  'umask u=,g=,o=x,u=rwxs',
)

/** Texts by their absolute path, and whether all of them are plain. */
export interface Sample {
  readonly files: Readonly<Record<string, string>>
  readonly isPlain: boolean
}

const some = (weight: number): fc.Arbitrary<readonly { readonly text: string; readonly isPlain: boolean }[]> =>
  fc.array(
    fc.oneof(
      { weight: 30, arbitrary: plain.map((text) => ({ text, isPlain: true })) },
      { weight, arbitrary: refused.map((text) => ({ text, isPlain: false })) },
    ),
    { maxLength: 4 },
  )

const written = fc.constantFrom(0, 0, 4).chain((weight) =>
  fc.record({
    stock: fc.constantFrom('debian', 'debian', 'redhat', 'none'),
    profile: some(weight),
    a: some(weight),
    b: some(weight),
    z: some(weight),
    bashrc: some(weight),
    more: some(weight),
    rootProfile: some(weight),
    rootBashrc: some(weight),
    last: fc.option(lasting, { freq: 2 }),
  }),
)

const TAIL = '\nif [ -d /etc/profile.d ]; then for i in /etc/profile.d/*.sh; do . "$i"; done; fi\n'

export const samples: fc.Arbitrary<Sample> = written.map(({ stock, last, ...parts }) => {
  const text = (lines: (typeof parts)['a']): string => `${lines.map((each) => each.text).join('\n')}\n`
  const isDebian = stock === 'debian'
  const profile = isDebian ? DEBIAN_PROFILE : stock === 'redhat' ? RED_HAT_PROFILE : ''
  const bashrc = isDebian ? DEBIAN_BASHRC : stock === 'redhat' ? RED_HAT_BASHRC : ''
  const files = {
    '/etc/profile': stock === 'none' ? text(parts.profile) + TAIL : profile + text(parts.profile),
    '/etc/profile.d/10-a.sh': text(parts.a),
    '/etc/profile.d/b.sh': text(parts.b),
    '/etc/profile.d/zz.sh': `${text(parts.z)}${last ?? ''}\n`,
    '/etc/profile.d/none.txt': 'umask 000\n',
    '/etc/more': text(parts.more).replaceAll(/(?:source|\.) \S*(?:echo )?\/etc\/more\)?/g, ':'),
    '/etc/bash.bashrc': stock === 'redhat' ? '. /etc/bashrc\n' : bashrc + text(parts.bashrc),
    ...(stock === 'redhat' ? { '/etc/bashrc': bashrc + text(parts.bashrc) } : {}),
    '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000::/home/alice:/bin/bash\n',
    '/etc/group': 'root:x:0:\nalice:x:1000:\n',
    '/root/.profile': text(parts.rootProfile),
    '/root/.bashrc': text(parts.rootBashrc),
  }
  const all = Object.values(parts).flat()
  // Shells differ in what they do after an assignment to what is read-only.
  const isTried = last !== null && all.some((each) => each.text.includes('TMOUT'))
  return { files, isPlain: !isTried && all.every((each) => each.isPlain) }
})
