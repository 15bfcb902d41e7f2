import { known, type Reading } from '../model/observation.ts'
import type { Assignment, KeyName } from './assignment.ts'
import { ini } from './formats/ini.ts'
import { anyExists, parseAll } from './reading.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'
import { NUMBERS, synonyms, VALUES } from './values.ts'

const MAIN = '/etc/dnf/dnf.conf'
/** Default of `reposdir`. @see dnf.conf(5) */
const REPOSITORIES = ['/etc/yum.repos.d', '/etc/yum/repos.d', '/etc/distro.repos.d']

const TRUE = ['1', 'yes', 'true', 'on', 'enabled', 'always']
const FALSE = ['0', 'no', 'false', 'off', 'disabled', 'never']

/** A boolean with its default. */
const yesOrNo = (preset: string): KeyRules => ({ order: synonyms(TRUE, FALSE), wins: 'last', default: preset })

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
    'The section `main` of `/etc/dnf/dnf.conf`; the last line wins. A repository in `*.repo` of `reposdir`, or of `/etc/yum.repos.d`, `/etc/yum/repos.d` and `/etc/distro.repos.d`, that says something else is named. A fix edits the main file.',
  installed: (files) => anyExists(files, [MAIN, '/usr/bin/dnf']),
  keyOf(text): KeyName | { readonly problem: string } {
    const [, key] = /^(?:main\.)?([a-z_]+)$/.exec(text) ?? []
    return key === undefined
      ? { problem: 'must be a key of the section main, such as gpgcheck' }
      : { section: 'main', key }
  },
  rulesOf: ({ key }) => KEYS[key] ?? { order: VALUES, wins: 'last' },
  read: readDnf,
  writes: () => ({ file: MAIN, format: ini }),
  activation: { kind: 'none' },
}

function readDnf(files: ConfigFiles): Reading<readonly Assignment[]> {
  const main = parseAll(files, [MAIN], ini)
  if (main.kind === 'unknown') return main
  const said = main.value.findLast(({ section, key }) => section === 'main' && key === 'reposdir')
  const directories = said === undefined ? REPOSITORIES : said.value.split(/[\s,]+/).filter((path) => path !== '')
  const repositories: string[] = []
  for (const directory of directories) {
    const names = files.names(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) if (name.endsWith('.repo')) repositories.push(`${directory}/${name}`)
  }
  const read = parseAll(files, repositories, ini)
  if (read.kind === 'unknown') return read
  // A section `main` in these files extends the main configuration.
  const scoped = read.value.map((each) =>
    each.section === 'main' ? each : { ...each, section: 'main', scope: `the repository ${each.section}` },
  )
  return known([...main.value, ...scoped])
}
