import type { ExportsOf } from '../../model/exported.ts'
import { type Seen, unknown } from '../../model/observation.ts'
import { didYouMean } from '../../model/suggest.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { GROUP_KINDS, groupIn, groupOf, groupRules, groupSpec } from '../shared/group.ts'
import { riskOfPackages } from '../shared/risk.ts'
import { type PackageOrGroupObserved, decidePackages } from './group.ts'
import { countedInstances, isInstalled, installedVersions } from './instances.ts'
import type { PackageAction, PackageContext, PackageStateObserved } from './model.ts'
import { decideWithOthers } from './others.ts'
import { managedNameProblem } from './package-name.ts'
import { providerOf } from './provider.ts'
import { PACKAGES } from './subject.ts'

/** What a policy may say about a package. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'Name of the package; an architecture may follow after a colon, as in `libc6:i386`. Of a group any title.',
  },
  ensure: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'version',
    phase: 'early',
    summary:
      'Whether the package must be installed (`present`), must not be installed (`absent`), must be the newest version in the local package index (`latest`), or must have this version. A map gives the accepted versions, compared in the order of the package manager. Required, except for a group.',
  },
  allow_removals: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    parameter: true,
    summary:
      'Whether a fix may remove packages that no resource names, because the package manager removes them along with this change: packages that conflict with it or depend on it. `--allow-removals` allows it for all.',
  },
  one_of: groupSpec(
    'Packages of which at least one must be installed. A fix installs the first that the index offers.',
  ),
  exactly_one_of: groupSpec(
    'Packages of which exactly one must be installed. If several are installed, a fix does not choose.',
  ),
  none_of: groupSpec('Packages that must not be installed. A fix removes all of them.'),
})

/** What later resources can read of a package. */
const exports = defineExports({
  installed: { kind: 'boolean', summary: 'Whether it is completely installed.' },
  version: {
    kind: 'text',
    summary: 'The installed version with epoch and revision or release; the first listed one of several.',
  },
  versions: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'All installed versions.' },
  architecture: { kind: 'text', summary: 'The architecture of the installation that `version` is of.' },
  held: { kind: 'boolean', summary: 'Whether the package manager holds that installation.' },
  candidate: {
    kind: 'text',
    summary: 'The version in the local package index, with `ensure: latest`.',
  },
  manager: { kind: 'text', summary: 'The package manager: `apt` or `dnf`.' },
})

const packageCapture: ResourceCapture<PackageOrGroupObserved, PackageContext> = {
  look: { ensure: 'absent' },
  describe(seen, { name }): Captured {
    // Configuration files that a removal has left are no package.
    const isAbsent = decidePackages({ name, ensure: 'absent' }, seen).drift.length === 0
    if (seen.kind === 'absent' || isAbsent) return { kind: 'absent', properties: { ensure: 'absent' } }
    // The look is at one package, and not at a group.
    const { instances } = seen.state as PackageStateObserved
    const [version] = installedVersions(countedInstances(instances))
    if (version === undefined) return unknown('not-observable', `${name} is not completely installed`)
    return { kind: 'present', properties: { ensure: version } }
  },
}

/** Packages of Debian and of distributions with rpm. */
export const packageType: ResourceType = defineResource({
  type: 'package',
  summary: 'Packages of the operating system: installed, not installed, at a version, or the latest version.',
  properties,
  // A name or version never looks like an option, and never like a pattern.
  rules: [
    {
      summary: 'The name is a package name, except for a group.',
      reads: ['name', ...GROUP_KINDS],
      at: 'name',
      check: ({ name = '', ...group }) => (groupOf(group) === undefined ? nameProblem(name) : undefined),
    },
    { reads: ['ensure'], at: 'ensure', check: ({ ensure }) => ensureProblem(ensure) },
    {
      summary: '`ensure` is set, or one of the lists for a group.',
      reads: ['ensure', ...GROUP_KINDS],
      at: 'ensure',
      check: ({ ensure, ...group }) =>
        ensure === undefined && groupOf(group) === undefined ? 'ensure is required' : undefined,
    },
    ...groupRules(nameProblem),
  ],
  exclusive: [['ensure', ...GROUP_KINDS]],
  exports,
  drifts: ['ensure', 'installed'],
  neverSecret: ['ensure', 'installed'],
  examples: [
    {
      title: 'A package that must be installed, in any version',
      yaml: `
        package:
          - auditd:
              ensure: present`,
    },
    {
      title: 'A package that must not be installed',
      yaml: `
        package:
          - telnetd:
              ensure: absent`,
    },
    {
      title: 'A package in one version',
      yaml: `
        package:
          - nginx:
              ensure: 1.22.1-9+deb12u1`,
    },
    {
      title: 'A package with a minimum version; a fix installs the version in the package index, if it is accepted',
      yaml: `
        package:
          - openssl:
              ensure: { at_least: 3.0.11-1~deb12u2 }`,
    },
    {
      title: 'A package that follows the package index, for one architecture',
      yaml: `
        package:
          - libssl3:amd64:
              ensure: latest`,
    },
    {
      title: 'Exactly one of several packages',
      yaml: `
        package:
          - time synchronisation:
              exactly_one_of: [chrony, systemd-timesyncd, ntpsec]`,
    },
  ],
  providers: [providerOf('apt', 'the package database of dpkg'), providerOf('dnf', 'rpm and its package database')],
  decide: decideWithOthers,
  hazards: ({ name }, action) => ({ risk: riskOfPackages([...packagesOf(name, action), ...(action.removes ?? [])]) }),
  exportsOf: exportsOfPackage,
  exportsAfter: exportsOfPackageAfter,
  capture: packageCapture,
  announce({ open }, names) {
    for (const manager of ['apt', 'dnf'] as const) {
      // A name may still be a template.
      open(PACKAGES)[manager].expect(names.filter((name) => managedNameProblem(manager, name) === undefined))
    }
  },
})

/** The names of what is changed; identifiers end with an architecture, and those of rpm with a version before it. */
function packagesOf(name: string, action: PackageAction): readonly string[] {
  if (action.kind === 'remove') return [name, ...action.ids.map((id) => id.replace(/(?::|-\d).*/, ''))]
  return [action.kind === 'install' ? (action.name ?? name) : name]
}

/** The words of `ensure` that are no version. */
const WORDS = ['present', 'absent', 'latest']

/** What a shell would act on. No shell is used, but no package has such a name. */
const DANGEROUS = /[;&|$`()[\]{}<>*?'"\\!\n\t\r]/

function nameProblem(name: string): string | undefined {
  const shown = JSON.stringify(name)
  if (DANGEROUS.test(name)) return `package name contains dangerous characters: ${shown}`
  if (!/^[A-Za-z0-9._+:~-]*$/.test(name)) {
    return `package name contains invalid characters: ${shown} (allowed: alphanumeric, ._+:~-)`
  }
  if (!/^[A-Za-z0-9]/.test(name)) return `package name must begin with a letter or digit: ${shown}`
  if (!/^[^:]+(?::[a-z0-9_-]+)?$/.test(name)) {
    return `package name ${shown} must have at most one colon, followed by an architecture`
  }
  return undefined
}

function ensureProblem(ensure: unknown): string | undefined {
  if (typeof ensure !== 'string' || WORDS.includes(ensure)) return undefined
  const shown = JSON.stringify(ensure)
  if (DANGEROUS.test(ensure)) return `package version/ensure contains dangerous characters: ${shown}`
  if (!/^[A-Za-z0-9._+:~^-]*$/.test(ensure)) {
    return `package version/ensure contains invalid characters: ${shown} (allowed: alphanumeric, ._+:~^-)`
  }
  if (!/^[A-Za-z0-9]/.test(ensure)) return `package version must begin with a letter or digit: ${shown}`
  if (/[0-9]/.test(ensure)) return undefined
  return `ensure ${shown} is neither present, absent or latest nor a version (a version contains a digit)${didYouMean(ensure, WORDS)}`
}

/** The values of a package as its database has it. */
export function exportsOfPackage(
  _: unknown,
  observed: Seen<PackageOrGroupObserved, PackageContext>,
): ExportsOf<typeof exports> {
  const { manager, candidate } = observed.context
  // None of these is that of a group.
  if (groupIn(observed) !== undefined) return { manager }
  const instances = observed.kind === 'present' ? (observed.state as PackageStateObserved).instances : []
  const installed = countedInstances(instances).filter(isInstalled)
  const [first] = installed
  return {
    installed: first !== undefined,
    version: first?.version,
    versions: [...new Set(installed.map(({ version }) => version))],
    architecture: first?.architecture,
    held: first?.held,
    candidate: candidate?.kind === 'known' ? (candidate.value.version ?? undefined) : undefined,
    manager,
  }
}

/** The same once the action was carried out. Which version comes is for the package manager to say. */
export function exportsOfPackageAfter(
  _: unknown,
  observed: Seen<PackageOrGroupObserved, PackageContext>,
  { kind }: PackageAction,
): ExportsOf<typeof exports> {
  const { manager } = observed.context
  if (groupIn(observed) !== undefined) return { manager }
  return kind === 'remove' ? { installed: false, versions: [], manager } : { installed: true, manager }
}
