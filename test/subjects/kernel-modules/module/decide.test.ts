import { expect, test } from 'vitest'
import { decideKernelModule, type KernelModuleState } from '../../../../src/subjects/kernel-modules/module/decide.ts'
import { effectOfInstall } from '../../../../src/subjects/shared/install-command.ts'
import { kernelModule } from '../../../../src/subjects/kernel-modules/module/index.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { testDecisionCases } from '../../decision-cases.ts'

const OWN = { path: '/etc/modprobe.d/00-driftgate-cramfs.conf', state: 'none' }
const CONFIGURATION = { install: [], blacklist: [], aliases: [], masked: [], own: OWN }

/** A module that could be loaded and is not; a case says what is otherwise, and of the configuration only what it has. */
function stateOf({ configuration, ...observed }: Readonly<Record<string, unknown>>): KernelModuleState {
  const said = configuration as { kind?: string } | undefined
  return {
    presence: { kind: 'known', value: { kind: 'not-loaded' } },
    place: { kind: 'known', value: 'loadable' },
    isLocked: { kind: 'known', value: false },
    isRefused: { kind: 'known', value: false },
    configuration: said?.kind === 'unknown' ? said : { kind: 'known', value: { ...CONFIGURATION, ...said } },
    ...observed,
  } as unknown as KernelModuleState
}

testDecisionCases('kernel-modules/module', {
  wanted: ['loaded', 'available'],
  observed: ['presence', 'place', 'configuration', 'isLocked', 'isRefused', 'need', 'nowhere'],
  decide: (wanted, { nowhere, ...observed }) =>
    decideKernelModule(
      { name: 'cramfs', ...wanted },
      nowhere === true
        ? { kind: 'absent', context: undefined }
        : { kind: 'present', state: stateOf(observed), context: undefined },
    ),
})

test.each([
  '/bin/false',
  '/bin/true',
  '/usr/bin/false',
  '/usr/sbin/false',
  'false',
  'true',
  ':',
  'exit 1',
  ' /bin/false # no',
])('the install command %j loads nothing', (command) => expect(effectOfInstall(command)).toBe('loads-nothing'))

test.each([
  '/sbin/modprobe --ignore-install cramfs',
  '/bin/false || /sbin/modprobe -i cramfs',
  '/bin/true; insmod cramfs.ko',
  '/bin/true `modprobe -i cramfs`',
  '/bin/true $(modprobe -i cramfs)',
  '/opt/bin/false',
  '/bin/falsely',
  '/bin/true\n/sbin/modprobe -i cramfs',
  '',
])('the effect of the install command %j is unclear', (command) => expect(effectOfInstall(command)).toBe('unclear'))

test.each([
  [{}, 'sets neither "loaded" nor "available"'],
  [{ loaded: true, available: false }, 'a module that must be loaded cannot be one that must not be available'],
])('a policy that wants %j is refused', (wanted, message) => {
  const problems = kernelModule.rules.flatMap((rule) => rule.check({ name: 'cramfs', ...wanted }) ?? [])
  expect(problems).toEqual([message])
})

test.each(['../cramfs', 'cramfs.ko', '-r', 'a b', ''])('%j is no name of a module', (name) => {
  expect(decodeProperties(kernelModule, { name, loaded: false }).ok).toBe(false)
})
