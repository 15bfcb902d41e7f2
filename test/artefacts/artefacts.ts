import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import process from 'node:process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { type Outcome, start } from '../support/driftgate.ts'

/** driftgate as a user has installed it. */
export interface Installed {
  /** A new directory for the files of a case, and its path as the program sees it. */
  readonly directory: () => { readonly outside: string; readonly inside: string }
  readonly run: (inside: string, args: readonly string[]) => Promise<Outcome>
}

/** What `npm run package` makes, by the end of its name. */
export type FileOf = (end: string) => string

/** The archive that npm publishes, installed with what it depends on in a directory of its own. */
export function installFromNpm(scratch: string, file: FileOf): Installed {
  const prefix = join(scratch, 'npm')
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['install', '--prefix', prefix, ...options, file('.tgz')], { cwd: scratch, stdio: 'pipe' })
  const env = { PATH: join(process.execPath, '..') }
  return outsideOf(scratch, [join(prefix, 'node_modules/.bin/driftgate')], env)
}

/** The one file, alone in a directory, with nothing in its environment. */
export function copyOneFile(scratch: string, file: FileOf): Installed {
  mkdirSync(join(scratch, 'alone'))
  const program = join(scratch, 'alone/driftgate')
  copyFileSync(file(`-linux-${process.arch}`), program)
  return outsideOf(scratch, ['/usr/bin/env', '-i', program], {})
}

/** The package of Debian in a root with nothing but a minimal system. */
export function installDeb(scratch: string, file: FileOf, base: string): Installed {
  const root = join(scratch, 'deb')
  copyRoot(base, root)
  copyFileSync(file('.deb'), join(root, 'tmp/driftgate.deb'))
  execFileSync('chroot', [root, 'dpkg', '--install', '/tmp/driftgate.deb'], { stdio: 'pipe' })
  return insideOf(root)
}

/** The rpm in the same root, by dnf and from a repository that has packages without files for the libraries of that root. */
export function installRpm(scratch: string, file: FileOf, base: string): Installed {
  const root = join(scratch, 'rpm')
  copyRoot(base, root)
  mkdirSync(join(scratch, 'repository'))
  cpSync(file('.rpm'), join(scratch, 'repository', basename(file('.rpm'))))
  const script = `
    for name in glibc libgcc libstdc++; do
      printf '%s\\n' "Name: $name" 'Version: 2.36' 'Release: 1' 'Summary: .' 'License: .' 'Provides: /bin/sh' %description %files > "$name.spec"
      rpmbuild -bb --quiet --define "_topdir $PWD/build" --define "_rpmdir $PWD/repository" "$name.spec"
    done
    createrepo_c --quiet repository
    printf '%s\\n' '[main]' 'gpgcheck=0' '[local]' 'name=local' "baseurl=file://$PWD/repository" > dnf.conf
    dnf --quiet --assumeyes --installroot="$PWD/rpm" --config="$PWD/dnf.conf" --releasever=1 --setopt=reposdir=/nonexistent install driftgate`
  execFileSync('bash', ['-euc', script], { cwd: scratch, stdio: 'pipe' })
  return insideOf(root)
}

/** The image of the Containerfile, built by buildah on a Debian of this machine under the name of the one that is meant. */
export function buildImage(scratch: string, file: FileOf, base: string): Installed {
  const context = join(scratch, 'context')
  mkdirSync(join(context, 'packages'), { recursive: true })
  cpSync('Containerfile', join(context, 'Containerfile'))
  cpSync(file('.deb'), join(context, 'packages', basename(file('.deb'))))
  writeFileSync(join(scratch, 'trust.json'), '{"default": [{"type": "insecureAcceptAnything"}]}')
  const script = `
    b() { word=$1; shift; buildah --root "$PWD/store" --runroot "$PWD/run" --storage-driver vfs "$word" "$@"; }
    tar -C "$BASE" --exclude=./srv --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' -cf base.tar .
    base=$(b from --signature-policy trust.json scratch)
    b add --quiet "$base" base.tar / >&2
    b commit --quiet --signature-policy trust.json --rm "$base" docker.io/library/debian:12-slim >&2
    b build --signature-policy trust.json --isolation chroot --pull-never --quiet --tag driftgate context >&2
    made=$(b from --signature-policy trust.json --pull-never localhost/driftgate)
    b inspect --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' "$made"
    echo
    b mount "$made"`
  const env = { ...process.env, BASE: base, TMPDIR: scratch }
  const printed = execFileSync('bash', ['-euc', script], { cwd: scratch, env, encoding: 'utf8', stdio: 'pipe' })
  const [words = '', root = ''] = printed.trim().split('\n')
  if (words !== '[/usr/bin/driftgate] [--help]') throw new Error(`the image starts ${words}`)
  return insideOf(root)
}

function copyRoot(base: string, root: string): void {
  mkdirSync(root)
  execFileSync('bash', ['-euc', `tar -C "$1" --exclude=./srv -c . | tar -C "$2" -x`, 'copy', base, root])
}

function outsideOf(scratch: string, program: readonly string[], env: Readonly<Record<string, string>>): Installed {
  const [command = '', ...words] = program
  return {
    directory: () => {
      const outside = mkdtempSync(join(scratch, 'case-'))
      return { outside, inside: outside }
    },
    run: (cwd, args) => start(command, [...words, ...args], { cwd, env }).outcome,
  }
}

/** Runs the program of a root in there, with a /proc of its own, the devices of this machine and an empty environment. */
function insideOf(root: string): Installed {
  const script = `mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; root=$1; shift; exec chroot "$root" /usr/bin/env -i /bin/sh -c 'cd "$1" && shift && exec /usr/bin/driftgate "$@"' sh "$@"`
  mkdirSync(join(root, 'srv'), { recursive: true })
  writeFileSync(join(root, 'etc/machine-id'), `${'0123456789abcdef'.repeat(2)}\n`)
  return {
    directory: () => {
      const outside = mkdtempSync(join(root, 'srv/case-'))
      return { outside, inside: join('/srv', basename(outside)) }
    },
    run: (inside, args) => {
      const words = ['--mount', '--pid', '--fork', 'bash', '-euc', script, 'run', root, inside, ...args]
      return start('unshare', words, { cwd: root }).outcome
    },
  }
}
