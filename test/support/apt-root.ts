import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AptOptions } from '../../src/subjects/packages/live/apt.ts'
import { temporaryDirectory } from './temporary.ts'

const DPKG_STANZA =
  'Package: dpkg\nStatus: install ok installed\nMaintainer: N <n@example.com>\nArchitecture: amd64\nVersion: 1.21\nDescription: none\n\n'

/** Why tests with real packages are skipped, or undefined. */
export const needsApt: string | undefined = ['dpkg-deb', 'apt-get', 'apt-cache'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
)
  ? undefined
  : 'needs dpkg and apt'

export interface DebPackage {
  readonly name: string
  readonly version: string
  readonly architecture?: string
  /** Further fields of its control file. */
  readonly fields?: string
  /** A script that is run before the package is configured. */
  readonly postinst?: string
  /** The content of `/etc/NAME.conf`, which belongs to the administrator once it is installed. */
  readonly conffile?: string
}

/** A directory in which the real dpkg and apt manage packages, apart from those of the machine. */
export interface AptRoot {
  readonly directory: string
  readonly options: AptOptions
  /** Builds packages, puts them into the repository and updates the index. */
  publish(...packages: readonly DebPackage[]): void
  /** Takes packages out of the repository and updates the index. */
  withdraw(name: string): void
  /** Runs a program of dpkg or apt in there and returns what it prints. */
  run(program: string, ...args: readonly string[]): string
  /** What dpkg-query says of a package. */
  query(name: string): string
}

export function createAptRoot(): AptRoot {
  const directory = temporaryDirectory()
  const at = (...names: readonly string[]): string => join(directory, 'root', ...names)
  const repository = join(directory, 'repository')
  const folders = ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'var/lib/apt/lists/partial', 'var/log/apt', 'tmp']
  const aptFolders = ['sources.list.d', 'preferences.d', 'apt.conf.d'].map((name) => `etc/apt/${name}`)
  for (const folder of [...folders, ...aptFolders, 'var/cache/apt/archives/partial']) {
    mkdirSync(at(folder), { recursive: true })
  }
  mkdirSync(repository)
  writeFileSync(at('var/lib/dpkg/status'), DPKG_STANZA)
  writeFileSync(at('etc/apt/sources.list'), `deb [trusted=yes] copy:${repository} ./\n`)
  const configuration = join(directory, 'apt.conf')
  writeFileSync(
    configuration,
    [
      `Dir "${at()}";`,
      `Dir::State::status "${at('var/lib/dpkg/status')}";`,
      'APT::Architecture "amd64";',
      'APT::Architectures { "amd64"; "i386"; };',
      'APT::Sandbox::User "root";',
      `DPkg::Options { "--root=${at()}"; "--force-not-root"; "--force-script-chrootless"; "--log=/dev/null"; };`,
      '',
    ].join('\n'),
  )
  const environment = { APT_CONFIG: configuration }

  function run(program: string, ...args: readonly string[]): string {
    const env = { ...process.env, ...environment, LC_ALL: 'C' }
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  const dpkg = (...args: readonly string[]): string => run('dpkg', `--root=${at()}`, '--force-not-root', ...args)
  dpkg('--add-architecture', 'i386')

  function update(): void {
    const entries = readdirSync(repository)
      .filter((file) => file.endsWith('.deb'))
      .map((file) => describe(repository, file))
    writeFileSync(join(repository, 'Packages'), `${entries.join('\n')}\n`)
    run('apt-get', 'update')
  }

  return {
    directory: at(),
    options: { databaseDirectory: at('var/lib/dpkg'), listsDirectory: at('var/lib/apt/lists'), environment },
    publish(...packages) {
      for (const it of packages) build(it, temporaryDirectory(), repository)
      update()
    },
    withdraw(name) {
      for (const file of readdirSync(repository)) {
        if (file.startsWith(`${name}_`)) rmSync(join(repository, file))
      }
      update()
    },
    run: (program, ...args) => (program === 'dpkg' ? dpkg(...args) : run(program, ...args)),
    query: (name) =>
      spawnSync(
        'dpkg-query',
        [`--admindir=${at('var/lib/dpkg')}`, '-W', '-f', '${Version} ${db:Status-Status}', name],
        {
          encoding: 'utf8',
        },
      ).stdout,
  }
}

/** The entry of a package file in the index. */
function describe(repository: string, file: string): string {
  const path = join(repository, file)
  const { stdout } = spawnSync('dpkg-deb', ['--field', path], { encoding: 'utf8' })
  const bytes = readFileSync(path)
  return `${stdout}Filename: ./${file}\nSize: ${bytes.length}\nSHA256: ${createHash('sha256').update(bytes).digest('hex')}\n`
}

function build(
  { name, version, architecture = 'all', fields = '', postinst, conffile }: DebPackage,
  directory: string,
  repository: string,
): void {
  mkdirSync(join(directory, 'DEBIAN'))
  mkdirSync(join(directory, 'usr/share', name), { recursive: true })
  writeFileSync(join(directory, 'usr/share', name, `version-${architecture}`), version)
  writeFileSync(
    join(directory, 'DEBIAN/control'),
    `Package: ${name}\nVersion: ${version}\nArchitecture: ${architecture}\nMaintainer: N <n@example.com>\n${fields}Description: none\n`,
  )
  if (postinst !== undefined) writeFileSync(join(directory, 'DEBIAN/postinst'), postinst, { mode: 0o755 })
  if (conffile !== undefined) {
    mkdirSync(join(directory, 'etc'))
    writeFileSync(join(directory, `etc/${name}.conf`), conffile)
    writeFileSync(join(directory, 'DEBIAN/conffiles'), `/etc/${name}.conf\n`)
  }
  const { status, stderr } = spawnSync('dpkg-deb', ['--build', '--root-owner-group', directory, repository], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}
