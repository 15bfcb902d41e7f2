import { test } from 'vitest'
import { packageType } from '../../../src/subjects/packages/index.ts'
import { type ContractScene, contractTests, fixResource } from '../../../src/testing/index.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import type { Target } from '../../../src/host/target.ts'
import { type AptRoot, createAptRoot, needsApt } from '../../support/apt-root.ts'
import { needsRoot } from '../../support/temporary.ts'
import { packageHands, packageMachine } from './scene.ts'

const roots = new Map<string, AptRoot>()

/** The packages of a scene live in a root of their own. */
function machineOf(directory: string): { readonly apt: AptRoot['options']; readonly dnf: { databaseDirectories: [] } } {
  const root = roots.get(directory)
  if (root === undefined) throw new Error('the scene was not arranged')
  return { apt: root.options, dnf: { databaseDirectories: [] } }
}

const target = (directory: string): Target => packageMachine(machineOf(directory))

const remediator = (directory: string): Remediator => packageHands(machineOf(directory))

function packages(
  scene: Pick<ContractScene, 'title' | 'state'>,
  wanted: string | object,
  installed = false,
): ContractScene {
  return {
    ...scene,
    provider: 'apt',
    async arrange(directory) {
      const root = createAptRoot()
      root.publish({ name: 'tool', version: '1.0-1' })
      roots.set(directory, root)
      if (installed) {
        await fixResource(
          packageType,
          { name: 'tool', ensure: 'present' },
          { provider: 'apt', target: target(directory), remediator: remediator(directory) },
        )
      }
      return { name: 'tool', ...(typeof wanted === 'string' ? { ensure: wanted } : wanted) }
    },
    target,
    remediator,
  }
}

const scenes: readonly ContractScene[] = [
  packages({ title: 'a package that is missing', state: 'fixable' }, 'present'),
  packages({ title: 'a package in its latest version', state: 'compliant' }, 'latest', true),
  packages({ title: 'a package that has to go', state: 'fixable' }, 'absent', true),
  packages({ title: 'a package that is not there and must not be', state: 'compliant' }, 'absent'),
  packages({ title: 'a group of which one is there', state: 'compliant' }, { exactly_one_of: ['other', 'tool'] }, true),
  packages({ title: 'a group of which none is there', state: 'fixable' }, { exactly_one_of: ['other', 'tool'] }),
  packages({ title: 'a group that no index offers', state: 'unfixable' }, { one_of: ['other', 'another'] }),
  packages({ title: 'a group of which none may be there', state: 'fixable' }, { none_of: ['other', 'tool'] }, true),
]

const missing = needsApt ?? needsRoot

for (const { name, run } of contractTests(packageType, { scenes })) test.skipIf(missing)(name, run)
