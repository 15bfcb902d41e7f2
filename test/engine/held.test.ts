import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  defineProperties,
  defineResource,
  loadPolicy,
  onlyRunning,
  present,
  scan,
  type LoadPolicyOptions,
  type ResourceType,
  type ScanOptions,
  unknown,
  type Use,
} from '../../src/index.ts'
import { openTarget } from '../../src/host/open-target.ts'
import { put } from '../support/contract.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const properties = defineProperties({
  name: { kind: 'text', required: true, summary: 'What a program is to make.' },
  looks: { kind: 'boolean', default: true, summary: 'Whether a program looks, too.' },
})

/** Looks and changes by programs, to which it gives what the policy says. It declares these uses, if any. */
const madeUsing = (uses?: readonly Use[]): ResourceType =>
  defineResource({
    ...(uses && { uses }),
    type: 'acme.made',
    summary: 'A file that touch made.',
    properties,
    drifts: ['ensure'],
    examples: [],
    async observe(target, { name, looks }, { signal, workingDirectory }) {
      if (!looks) return present('missing')
      const ended = await target.run({ argv: ['/usr/bin/touch', name], workingDirectory, signal })
      if (ended.kind !== 'not-started') return present('made')
      return ended.needs === undefined ? unknown('command', ended.message) : onlyRunning(ended.message)
    },
    decide: (_, seen) => ({
      ensure: { desired: 'made', observed: seen.kind === 'present' ? seen.state : 'absent' },
      drift:
        seen.kind === 'present' && seen.state === 'made'
          ? []
          : [{ property: 'ensure', desired: 'made', observed: 'missing' }],
      unknown: [],
      plan: { kind: 'act', action: undefined, text: 'Would have made it', obstacles: [] },
    }),
    async apply(remediator, { name }, _, { signal, workingDirectory }) {
      const ended = await remediator.run({ argv: ['/usr/bin/touch', name], workingDirectory, signal })
      return ended.kind === 'not-started' ? { kind: 'failed', message: ended.message } : { kind: 'done', message: '' }
    },
  })

async function scanned(
  wanted: Readonly<Record<string, unknown>>,
  { made = madeUsing(), ...options }: ScanOptions & LoadPolicyOptions & { readonly made?: ResourceType } = {},
): Promise<readonly unknown[]> {
  const directory = temporaryDirectory()
  put(directory, { 'policy.yaml': JSON.stringify({ ccm: { resources: [{ 'acme.made': wanted }] } }) })
  const loaded = await loadPolicy(join(directory, 'policy.yaml'), { types: [made], ...options })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const { policies } = await scan(loaded.value, { types: [made], ...options })
  return policies.flatMap(({ resources }) =>
    resources.map(({ verdict, message, reason }) => [verdict, message ?? reason]),
  )
}

const REFUSED = 'types of plugins run no program (--no-commands or --untrusted)'

test('a type of a plugin runs programs', async () => {
  const path = join(temporaryDirectory(), 'file')
  expect(await scanned({ name: path })).toMatchObject([['compliant', undefined]])
  expect(existsSync(path)).toBe(true)
})

test.each([
  ['looks', true, {}],
  ['changes', false, { fix: true }],
] as const)('of a policy whose commands may not run it gets no program when it %s', async (_, looks, how) => {
  const path = join(temporaryDirectory(), 'file')
  const [verdict] = await scanned({ name: path, looks }, { ...how, runCommands: false })
  expect(JSON.stringify(verdict)).toContain(REFUSED)
  expect(existsSync(path)).toBe(false)
})

test('a command skipped on a target that does not run differs from a failed command', async () => {
  const root = temporaryDirectory()
  put(root, { 'etc/hostname': 'a' })
  const target = { ...(await openTarget(`root:${root}`)), offlineAs: 'not-applicable' } as const
  expect(await scanned({ name: '/file' }, { target })).toMatchObject([
    ['not-applicable', expect.stringContaining('is not run')],
  ])
})

test.each<[declared: readonly Use[], how: ScanOptions & LoadPolicyOptions, outcome: string]>([
  [['files', 'commands'], {}, 'made'],
  [['files', 'commands'], { runCommands: false }, REFUSED],
  [['files', 'commands'], { untrusted: true }, REFUSED],
  [['files'], {}, 'type acme.made runs a program without "commands" in its uses'],
  [['network', 'commands'], { runCommands: false }, REFUSED],
  [
    ['network', 'commands'],
    { untrusted: true },
    'type acme.made uses the network, which untrusted policies may not use',
  ],
])('a type that declares %j under %j', async (uses, how, outcome) => {
  const path = join(temporaryDirectory(), 'file')
  const [verdict] = await scanned({ name: path }, { ...how, made: madeUsing(uses) })
  expect(existsSync(path)).toBe(outcome === 'made')
  expect(JSON.stringify(verdict).replaceAll('\\"', '"')).toContain(outcome === 'made' ? 'compliant' : outcome)
})

test('a type that declares what no type uses is refused', () => {
  expect(() => madeUsing(['file' as Use])).toThrow('uses names "file": valid uses are files, commands, network')
})
