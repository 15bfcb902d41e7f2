import { expect, test } from 'vitest'
import { decideKernelOption } from '../../../../src/subjects/kernel-modules/option/decide.ts'
import { kernelOption } from '../../../../src/subjects/kernel-modules/option/index.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { type Reading, known } from '../../../../src/model/observation.ts'
import type { KernelBuild } from '../../../../src/subjects/kernel-modules/kernel-builds.ts'
import { testDecisionCases } from '../../decision-cases.ts'

type Options = Readonly<Record<string, string>>

function buildOf(release: string, options: Options): KernelBuild {
  return { release, file: `/boot/config-${release}`, options: new Map(Object.entries(options)) }
}

/** A case says options by their names, and of what is installed by its release. */
function withBuilds<From, To>(reading: unknown, map: (value: From) => To, otherwise: To): Reading<To> {
  const said = reading as Reading<From> | undefined
  if (said === undefined) return known(otherwise)
  return said.kind === 'unknown' ? said : known(map(said.value))
}

testDecisionCases('kernel-modules/option', {
  wanted: ['value'],
  observed: ['running', 'installed'],
  decide: (wanted, { running, installed }) =>
    decideKernelOption(
      { name: 'CONFIG_A', value: 'y', ...wanted },
      {
        running: withBuilds(running, (options: Options) => buildOf('6.1.0', options), buildOf('6.1.0', {})),
        installed: withBuilds(
          installed,
          (all: Readonly<Record<string, Options>>) =>
            Object.entries(all).map(([release, options]) => buildOf(release, options)),
          [],
        ),
      },
    ),
})

test.each(['A', 'CONFIG_', 'config_a', 'CONFIG_A=y', '-CONFIG_A'])('%j is no option', (name) => {
  expect(decodeProperties(kernelOption, { name, value: 'y' }).ok).toBe(false)
})
