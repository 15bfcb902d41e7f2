import { pathsIn } from '../host/paths-in.ts'
import { withBlanksOfC } from './blanks.ts'
import { known, type Reading } from '../model/observation.ts'
import type { Assignment, KeyName } from './assignment.ts'
import { dnfConf } from './formats/dnf.ts'
import { anyExists, parseAll } from './reading.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'
import { NUMBERS, synonyms, VALUES } from './values.ts'

const MAIN = '/etc/dnf/dnf.conf'
/** Default of `reposdir`. @see dnf.conf(5) */
const REPOSITORIES = ['/etc/yum.repos.d', '/etc/yum/repos.d', '/etc/distro.repos.d']

/** Section `base` overrides the main configuration. @see automatic.conf in dnf-automatic(8) */
const AUTOMATIC = '/etc/dnf/automatic.conf'
/** @see dnf(8), alias */
const ALIASES = '/etc/dnf/aliases.d'

const TRUE = ['1', 'yes', 'true', 'on']
const FALSE = ['0', 'no', 'false', 'off']

const yesOrNo = (preset: string): KeyRules => ({
  order: synonyms(TRUE, FALSE),
  wins: 'last',
  takes: (value) => [...TRUE, ...FALSE].includes(value.toLowerCase()),
  default: preset,
})

const KEYS: Readonly<Record<string, KeyRules>> = {
  gpgcheck: yesOrNo('0'),
  repo_gpgcheck: yesOrNo('0'),
  localpkg_gpgcheck: yesOrNo('0'),
  clean_requirements_on_remove: yesOrNo('1'),
  best: yesOrNo('0'),
  sslverify: yesOrNo('1'),
  installonly_limit: { order: NUMBERS, wins: 'last', default: '3' },
}

/** The package manager dnf. */
export const dnf: Surface = {
  name: 'dnf',
  summary:
    'The section `main` of `/etc/dnf/dnf.conf`; the last line wins. driftgate also reports repositories with a different value, in this file, in `*.repo` of `reposdir`, or in `/etc/yum.repos.d`, `/etc/yum/repos.d` and `/etc/distro.repos.d`. The same applies to dnf-automatic and to aliases with such an option. A fix edits the main file.',
  installed: (files) => anyExists(files, [MAIN, '/usr/bin/dnf']),
  keyOf(text): KeyName | { readonly problem: string } {
    const [, key] = /^(?:main\.)?([a-z_]+)$/.exec(text) ?? []
    return key === undefined
      ? { problem: 'must be a key of the section main, such as gpgcheck' }
      : { section: 'main', key }
  },
  rulesOf: ({ key }) => KEYS[key] ?? { order: VALUES, wins: 'last' },
  read: readDnf,
  writes: () => ({ file: MAIN, format: dnfConf }),
  activation: { kind: 'none' },
}

function readDnf(files: ConfigFiles): Reading<readonly Assignment[]> {
  const main = parseAll(files, [MAIN], dnfConf)
  if (main.kind === 'unknown') return main
  const said = main.value.findLast(({ section, key }) => section === 'main' && key === 'reposdir')
  const directories =
    said === undefined ? REPOSITORIES : said.value.split(withBlanksOfC(/[\s,]+/)).filter((path) => path !== '')
  const repositories = pathsIn(files, directories, (name) => name.endsWith('.repo'))
  if (repositories.kind === 'unknown') return repositories
  const read = parseAll(files, repositories.value, dnfConf)
  if (read.kind === 'unknown') return read
  const automatic = parseAll(files, [AUTOMATIC], dnfConf)
  if (automatic.kind === 'unknown') return automatic
  const aliases = readAliases(files)
  if (aliases.kind === 'unknown') return aliases
  return known([
    ...lastOfEach(main.value.filter(({ section }) => section === 'main')),
    // A section `main` of another file is no repository, and an invalid value is that of the section `main`.
    ...lastOfEach(ofFirstFiles([...main.value, ...read.value]))
      .filter(({ key, value }) => KEYS[key]?.takes?.(value) ?? true)
      .map((each) => ({ ...each, section: 'main', scope: `the repository ${each.section}` })),
    ...automatic.value
      .filter(({ section }) => section === 'base')
      .map((each) => ({ ...each, section: 'main', scope: 'dnf-automatic' })),
    ...aliases.value,
  ])
}

/** The last line of each key: where its value is invalid, the default holds, not an earlier line. */
function lastOfEach(assignments: readonly Assignment[]): readonly Assignment[] {
  return [...new Map(assignments.map((each) => [`${each.section}\n${each.key}`, each])).values()]
}

/** Lines of repositories, each from the first file that has it. */
function ofFirstFiles(assignments: readonly Assignment[]): readonly Assignment[] {
  const first = new Map(assignments.toReversed().map(({ section, file }) => [section, file]))
  return assignments.filter(({ section, file }) => section !== 'main' && first.get(section) === file)
}

/** Values that aliases set with their options. */
function readAliases(files: ConfigFiles): Reading<readonly Assignment[]> {
  const paths = pathsIn(files, [ALIASES], (name) => /\.conf$/i.test(name))
  if (paths.kind === 'unknown') return paths
  const read = parseAll(files, paths.value, dnfConf)
  if (read.kind === 'unknown') return read
  const isOff = ({ section, key, value }: Assignment): boolean =>
    section === 'main' && key === 'enabled' && FALSE.includes(value.toLowerCase())
  const off = read.value.filter(isOff).map(({ file }) => file)
  if (off.includes(`${ALIASES}/ALIASES.conf`)) return known([])
  return known(
    read.value
      .filter(({ section, file }) => section === 'aliases' && !off.includes(file))
      .flatMap((alias) =>
        [...alias.value.matchAll(OPTION)].map(([, name = 'gpgcheck', value = '0']) => {
          return { ...alias, section: 'main', key: name, value, scope: `the alias ${alias.key}` }
        }),
      ),
  )
}

/** The option without verification, or one that sets a key, possibly of one repository. */
const OPTION = withBlanksOfC(/(?<=^|\s)--(?:nogpgcheck|setopt[=\s](?:\S+\.)?([a-z_]+)=(\S*))(?=\s|$)/g)
