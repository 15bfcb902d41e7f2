import { defineResource, type ResourceType } from '../../resource-type/define.ts'
import { decidePackage } from './decide.ts'
import { exportsOfPackage, packageExports, packageStatus } from './exports.ts'
import { providerOf } from './manager.ts'
import { managedNameProblem } from './names.ts'
import { packageProperties, packageRules } from './properties.ts'

/** Packages of Debian and of distributions with rpm. */
export const packageType: ResourceType = defineResource({
  type: 'package',
  summary: 'Packages of the operating system: installed, not installed, of a version, or the latest one.',
  properties: packageProperties,
  rules: packageRules,
  exports: packageExports,
  status: packageStatus,
  drifts: ['ensure'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'A package that must be installed, whatever its version',
      yaml: ['package:', '  - auditd:', '      ensure: present'].join('\n'),
    },
    {
      title: 'A package that must not be there',
      yaml: ['package:', '  - telnetd:', '      ensure: absent'].join('\n'),
    },
    {
      title: 'A package in one version',
      yaml: ['package:', '  - nginx:', '      ensure: 1.22.1-9+deb12u1'].join('\n'),
    },
    {
      title: 'A package that follows the package index, for one architecture',
      yaml: ['package:', '  - libssl3:amd64:', '      ensure: latest'].join('\n'),
    },
  ],
  providers: [providerOf('apt', 'the package database of dpkg'), providerOf('dnf', 'rpm and its package database')],
  decide: decidePackage,
  exportsOf: exportsOfPackage,
  announce({ packages }, names) {
    for (const manager of ['apt', 'dnf'] as const) {
      // A name may still be a template.
      packages[manager].expect(names.filter((name) => managedNameProblem(manager, name) === undefined))
    }
  },
})
