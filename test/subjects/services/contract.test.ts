import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { service } from '../../../src/subjects/services/index.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { absent, known, present } from '../../../src/model/observation.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import type { ServiceStatus } from '../../../src/subjects/services/services.ts'
import type { Target } from '../../../src/host/target.ts'
import { put } from '../../support/contract.ts'
import { opening, reading, writing } from '../../support/opening.ts'
import { SERVICES } from '../../../src/subjects/services/subject.ts'

/** A machine with one unit, which a file in the scene's directory stands for. */
function unitOf(directory: string): { readonly target: Target; readonly remediator: Remediator } {
  const state = join(directory, 'state')
  const status = (): ServiceStatus => ({
    unit: 'web.service',
    runtime: known({
      activeState: readFileSync(state, 'utf8') === 'up' ? 'active' : 'inactive',
      loadState: 'loaded',
      result: '',
    }),
    enablement: known({ state: 'enabled', isInstallable: true }),
  })
  const unitFiles = ['/etc/systemd/system/web.service']
  return {
    target: {
      ...createLocalTarget(),
      open: opening(
        createLocalTarget(),
        reading(SERVICES, {
          announce: () => undefined,
          starters: async () => known([]),
          companions: async () => known([]),
          status: async (unit) =>
            unit === 'web.service' ? present(status(), { unit, unitFiles }) : absent({ unit, unitFiles }),
        }),
      ),
    },
    remediator: {
      ...createLocalRemediator(NO_JOURNAL),
      open: opening(
        createLocalRemediator(NO_JOURNAL),
        writing(SERVICES, {
          async change(_unit, steps) {
            writeFileSync(state, steps.includes('start') ? 'up' : 'down')
            return { kind: 'done' }
          },
        }),
      ),
    },
  }
}

function unit(scene: Pick<ContractScene, 'title' | 'state'>, before: string, properties: object): ContractScene {
  return {
    ...scene,
    arrange(directory) {
      put(directory, { state: before })
      return { name: 'web', ...properties }
    },
    target: (directory) => unitOf(directory).target,
    remediator: (directory) => unitOf(directory).remediator,
  }
}

const scenes: readonly ContractScene[] = [
  unit({ title: 'a service that runs', state: 'compliant' }, 'up', { ensure: 'running', enable: true }),
  unit({ title: 'a service that does not run', state: 'fixable' }, 'down', { ensure: 'running' }),
  unit({ title: 'a service that must not run', state: 'fixable' }, 'up', { ensure: 'stopped' }),
  unit({ title: 'a unit that is missing', state: 'unfixable' }, 'up', { name: 'other', ensure: 'running' }),
  unit({ title: 'a unit that is missing as it has to be', state: 'compliant' }, 'up', {
    name: 'other',
    ensure: 'stopped',
  }),
  unit({ title: 'a group of which one runs', state: 'compliant' }, 'up', { exactly_one_of: ['other', 'web'] }),
  unit({ title: 'a group of which none runs', state: 'fixable' }, 'down', { exactly_one_of: ['other', 'web'] }),
  unit({ title: 'a group of which none exists', state: 'unfixable' }, 'up', { one_of: ['other', 'another'] }),
]

for (const { name, run } of contractTests(service, { scenes })) test(name, run)
