import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DnfOptions } from '../../src/subjects/packages/live/dnf.ts'
import { temporaryDirectory } from './temporary.ts'

function has(...programs: readonly string[]): boolean {
  return programs.every((program) => spawnSync(program, ['--version']).status === 0)
}

/** Why tests with a real rpm database are skipped, or undefined. */
export const needsRpm: string | undefined = has('rpm', 'rpmbuild') ? undefined : 'needs rpm and rpmbuild'

/** Why tests with real repositories are skipped, or undefined. */
export const needsDnf: string | undefined = has('dnf', 'createrepo_c') ? needsRpm : 'needs dnf and createrepo_c'

export interface RpmPackage {
  readonly name: string
  readonly version: string
  readonly release?: string
  readonly epoch?: string
  readonly architecture?: string
  /** More lines of its spec, such as `Requires: lib >= 2`. */
  readonly fields?: readonly string[]
}

/** A directory in which the real rpm and dnf manage packages, apart from those of the machine. */
export interface DnfRoot {
  readonly directory: string
  readonly options: DnfOptions
  /** Builds packages and puts them into the repository, which must be indexed before dnf sees them. */
  build(...packages: readonly RpmPackage[]): void
  /** Makes the index of the repository and has dnf fetch it. */
  publish(): void
  /** Runs rpm in there and returns what it prints. */
  rpm(...args: readonly string[]): string
  /** Installs the packages that were built, without dnf. */
  install(): void
}

export function createDnfRoot(): DnfRoot {
  const top = temporaryDirectory()
  const directory = join(top, 'root')
  const repository = join(top, 'repository')
  mkdirSync(repository)
  mkdirSync(directory)
  const configuration = join(top, 'dnf.conf')
  writeFileSync(
    configuration,
    `[main]\ngpgcheck=0\ninstallonlypkgs=kernel\n[local]\nname=local\nbaseurl=file://${repository}\n`,
  )
  const dnfArguments = [
    `--installroot=${directory}`,
    `--config=${configuration}`,
    '--releasever=1',
    '--setopt=reposdir=/nonexistent',
  ]
  const rpmArguments = [`--root=${directory}`]

  // Debian's rpm keeps its database in the home of the calling user.
  const environment = { HOME: '/root' }

  function run(program: string, ...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, ...environment, LC_ALL: 'C' },
    })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`)
    return stdout
  }

  const packageFiles = (): readonly string[] =>
    readdirSync(repository)
      .filter((file) => file.endsWith('.rpm'))
      .map((file) => join(repository, file))

  return {
    directory,
    options: {
      dnfArguments,
      rpmArguments,
      environment,
      // Where the database lies depends on who has built rpm.
      databaseDirectories: ['usr/lib/sysimage/rpm', 'var/lib/rpm', 'root/.rpmdb'].map((name) => join(directory, name)),
      cacheDirectories: [join(directory, 'var/cache/dnf'), join(directory, 'var/cache/libdnf5')],
    },
    build(...packages) {
      for (const it of packages) build(it, repository, run)
    },
    publish() {
      rmSync(join(repository, 'repodata'), { recursive: true, force: true })
      run('createrepo_c', '--quiet', repository)
      run('dnf', ...dnfArguments, '-q', '--refresh', 'makecache')
    },
    rpm: (...args) => run('rpm', ...rpmArguments, ...args),
    install: () => void run('rpm', ...rpmArguments, '-i', '--ignorearch', '--nodeps', ...packageFiles()),
  }
}

function build(
  { name, version, release = '1', epoch, architecture = 'noarch', fields = [] }: RpmPackage,
  repository: string,
  run: (program: string, ...args: readonly string[]) => string,
): void {
  const directory = temporaryDirectory()
  const spec = join(directory, `${name}.spec`)
  const head = [
    `Name: ${name}`,
    `Version: ${version}`,
    `Release: ${release}`,
    ...(epoch === undefined ? [] : [`Epoch: ${epoch}`]),
    'Summary: none',
    'License: none',
    ...(architecture === 'noarch' ? ['BuildArch: noarch'] : []),
    ...fields,
  ]
  writeFileSync(spec, [...head, '%description', 'none', '%files', ''].join('\n'))
  const target = architecture === 'noarch' ? [] : ['--target', architecture]
  const folders = ['--define', `_topdir ${directory}`, '--define', `_rpmdir ${repository}`]
  run(
    'rpmbuild',
    '--quiet',
    ...target,
    ...folders,
    '--define',
    '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
    '-bb',
    spec,
  )
}
