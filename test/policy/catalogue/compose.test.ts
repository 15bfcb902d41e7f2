import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runInProcess } from '../../support/command-line.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const CONTROLS = `- id: motd
  title: /etc/motd warns
  severity: low
  description: A visitor cannot say that nobody told him.
  remediation: Write /etc/motd, or use --fix.
  nist: [AC-8]
  resources:
    - { file: { /etc/motd: { ensure: present, content: "{{ lookup('data.banner') }}", owner: root, group: root, mode: '0644' } } }
- id: forward
  title: The host routes nothing
  severity: medium
  resources:
    routers: [{ sysctl: { net.ipv4.ip_forward: { value: '1' } } }]
    otherwise: [{ sysctl: { net.ipv4.ip_forward: { value: '0' } } }]
- id: review
  title: A person reviews the accounts
  manual: true
`
const ABOUT = `lists: [../site.yaml]
parameters:
  banner: { meaning: the text before a login, value: Go away. }
`

/** A directory with a catalogue and a policy that takes controls from it; what the file says below \`catalogue:\`. */
function site(list: string, controls = CONTROLS, about = ABOUT): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'controls'))
  writeFileSync(join(directory, 'controls/access.yaml'), controls)
  writeFileSync(join(directory, 'controls/catalogue.yaml'), about)
  writeFileSync(join(directory, 'site.yaml'), `policy: { id: site, title: House standard }\ncatalogue:\n${list}`)
  return join(directory, 'site.yaml')
}

async function composed(list: string, ...about: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runInProcess('policies', 'show', site(list, CONTROLS, ...about))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return parse(stdout)
}

test('a policy takes controls with numbers, levels and parameters', async () => {
  const list = `  from: controls
  parameters: { banner: Authorized users only. }
  controls:
    - 1.1 L1 motd
    - 1.2 L2 forward
    - review
`
  expect(await composed(list)).toEqual({
    policy: {
      id: 'site',
      title: 'House standard',
      parameters: { banner: { meaning: 'the text before a login' } },
      controls: [
        {
          id: '1.1',
          title: '/etc/motd warns',
          severity: 'low',
          description: 'A visitor cannot say that nobody told him.',
          remediation: 'Write /etc/motd, or use --fix.',
          references: { site: ['1.1'], 'nist-800-53': ['AC-8'] },
          tags: ['access', 'level-1'],
          resources: ['file#/etc/motd'],
        },
        {
          id: '1.2',
          title: 'The host routes nothing',
          severity: 'medium',
          references: { site: ['1.2'] },
          tags: ['access', 'level-2'],
          resources: ['sysctl#net.ipv4.ip_forward'],
        },
        { id: 'review', title: 'A person reviews the accounts', references: {}, tags: ['access'], manual: true },
      ],
    },
    data: { banner: 'Authorized users only.' },
    ccm: {
      resources: [
        {
          file: [
            {
              '/etc/motd': {
                ensure: 'present',
                content: "{{ lookup('data.banner') }}",
                owner: 'root',
                group: 'root',
                mode: '0644',
              },
            },
          ],
        },
        { sysctl: [{ 'net.ipv4.ip_forward': { value: '0' } }] },
      ],
    },
  })
})

test('a control may refer to its number in this list alone', async () => {
  const list = '  from: controls\n  references: own\n  controls: [1.1 motd]\n'
  expect(await composed(list)).toMatchObject({
    policy: { controls: [{ references: { site: ['1.1'], 'nist-800-53': ['AC-8'] } }] },
  })
})

test('a variant chooses among resources, and a condition holds for all of a kind', async () => {
  const list = `  from: controls
  variant: routers
  applies: { 'sysctl#net': 'true' }
  controls: [forward]
`
  expect(await composed(list)).toMatchObject({
    ccm: { resources: [{ sysctl: [{ 'net.ipv4.ip_forward': { value: '1', control: { if: 'true' } } }] }] },
  })
})

test('conditions of a catalogue hold in each list, together with those of the list', async () => {
  const applies = `applies: { 'sysctl#net.ipv4.': a == 1, 'file#': b == 2 }\n${ABOUT}`
  const list = `  from: controls
  applies: { 'sysctl#': c == 3, 'file#/var': d == 4 }
  controls: [motd, forward]
`
  expect(await composed(list, applies)).toMatchObject({
    ccm: {
      resources: [
        { file: [{ '/etc/motd': { control: { if: 'b == 2' } } }] },
        { sysctl: [{ 'net.ipv4.ip_forward': { control: { if: '(a == 1) && (c == 3)' } } }] },
      ],
    },
  })
})

test.each([
  ['applies: [sysctl]', '1:10 applies must be a map'],
  ['applies: { sysctl#: [a] }', '1:21 a condition must be a string'],
])('%s in a catalogue is an error at its place', async (applies, message) => {
  const { code, stderr } = await runInProcess(
    'validate',
    site('  from: controls\n  controls: [motd]\n', CONTROLS, applies),
  )
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`catalogue.yaml:${message}`) })
})

test('a scan of the short policy evaluates the templates of its controls', async () => {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'etc'))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
  const policy = site('  from: controls\n  controls: [motd]\n')
  writeFileSync(join(root, 'etc/motd'), 'Welcome.')
  const { stdout } = await runInProcess('scan', policy, '--target', `root:${root}`, '--report', 'json')
  const [{ resources, controls }] = JSON.parse(stdout).policies
  expect(controls[0]).toMatchObject({ title: '/etc/motd warns', verdict: 'drifted' })
  const wanted = createHash('sha256').update('Go away.').digest('hex')
  expect(JSON.stringify(resources[0].drift)).toContain(wanted)
})

test('a policy that ships is shown with its controls', async () => {
  const { code, stdout } = await runInProcess('policies', 'show', '@ssh')
  expect(code).toBe(0)
  const { policy, ccm } = parse(stdout) as { policy: { controls: readonly unknown[] }; ccm: { resources: unknown } }
  expect(policy.controls).toHaveLength(23)
  expect(ccm.resources).toContainEqual(expect.objectContaining({ setting: expect.anything() }))
})

test('a policy that is published takes its catalogue along', async () => {
  const policy = site('  from: controls\n  controls: [1.1 L1 motd]\n')
  const { code, stdout, stderr } = await runInProcess('fleet', 'publish', policy, '--dry-run')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/ controls\/access\.yaml .*site\.yaml:3/)
  const moved = site('  from: controls\n  controls: [1.1 L1 motd]\n')
  renameSync(moved, join(dirname(moved), 'manifest.yaml'))
  expect((await runInProcess('validate', join(dirname(moved), 'manifest.yaml'))).code).toBe(0)
})

test.each([
  ['  from: controls\n  controls: [motdd]\n', 'site.yaml:4:14 no control "motdd" in controls, did you mean "motd"?'],
  ['  from: controls\n  controls: [motd, motd]\n', 'site.yaml:4:20 control "motd" is already listed on line 4'],
  [
    '  from: controls\n  parameters: { baner: x }\n  controls: [motd]\n',
    'site.yaml:4:17 the catalogue has no parameter "baner", did you mean "banner"?',
  ],
  [
    '  from: controls\n  variant: router\n  controls: [forward]\n',
    'no control has the variant "router", did you mean "routers"?',
  ],
  ['  from: control\n  controls: [motd]\n', 'site.yaml:3:9 the catalogue cannot be used: '],
  [
    '  from: "@catalog"\n  controls: [motd]\n',
    'no catalogue "@catalog" ships with driftgate, did you mean "@catalogue"?',
  ],
  ['  controls: [motd]\n', 'from must name a catalogue: @catalogue, or a directory next to the policy'],
  ['  from: controls\n  control: [motd]\n', 'unknown key "control"'],
  ['  from: controls\n', 'controls must be a list of controls'],
  ['  from: controls\n  controls: ["a b c d"]\n', 'a control must be ID, NUMBER ID or NUMBER L1 ID'],
])('a mistake is told where it stands: %j', async (list, message) => {
  const policy = site(list)
  const { code, stderr } = await runInProcess('validate', policy)
  expect(code).toBe(1)
  expect(stderr).toContain(message)
})

test('a mistake in a control names its place in the catalogue', async () => {
  const policy = site('  from: controls\n  controls: [motd]\n', CONTROLS.replace('ensure:', 'ensured:'))
  const { code, stderr } = await runInProcess('validate', policy)
  expect(code).toBe(1)
  expect(stderr).toMatch(/"ensured".*\(motd at .*controls\/access\.yaml:1\)/)
})

test('a wrong key of a control has its line in the catalogue', async () => {
  const wrong = '- id: wrong\n  title: x\n  sevrity: low\n  resources: []\n'
  const policy = site('  from: controls\n  controls: [wrong]\n', `${CONTROLS.trimEnd()}\n${wrong}`)
  const line = CONTROLS.trimEnd().split('\n').length + 3
  const { code, stderr } = await runInProcess('validate', policy)
  expect(code).toBe(1)
  expect(stderr).toContain(`controls/access.yaml:${line}:3 unknown key "sevrity"`)
})

test('a control refers to a resource by the alias that it gives it', async () => {
  const controls = `- id: nobody-in-it
  title: The group is empty
  severity: low
  resources:
    - { group: { "{{ lookup('data.su_group', 'su') }}": { alias: the group of su, members: [] } } }
`
  const path = site('  from: controls\n  controls: [nobody-in-it]\n', controls)
  const { code, stdout } = await runInProcess('policies', 'show', path)
  expect(code).toBe(0)
  expect(parse(stdout)).toMatchObject({ policy: { controls: [{ resources: ['group#the group of su'] }] } })
})

test('a list that the site chooses replaces that of the catalogue', async () => {
  const list = '  from: controls\n  controls: [motd]\n'
  const about =
    'lists: [../site.yaml]\nparameters:\n  banner: { meaning: the texts before a login, value: [Go away.] }\n'
  const file = site(list)
  writeFileSync(join(file, '../controls/catalogue.yaml'), about)
  const chosen = async (source: string, ...options: readonly string[]): Promise<unknown> =>
    parse((await runInProcess('data', source, ...options)).stdout)
  expect(await chosen(file)).toEqual({ banner: ['Go away.'] })
  expect(await chosen(file, '--set', 'banner=[Welcome.]')).toEqual({ banner: ['Welcome.'] })
  const data = join(file, '../data.yaml')
  writeFileSync(data, 'banner: [Hello.]\n')
  expect(await chosen(file, '--data', data)).toEqual({ banner: ['Hello.'] })
  expect(await chosen(file, '--data', data, '--set', 'banner=[Welcome.]')).toEqual({ banner: ['Welcome.'] })
  const { stdout } = await runInProcess('policies', 'show', file)
  writeFileSync(join(file, '../whole.yaml'), stdout)
  expect(await chosen(join(file, '../whole.yaml'), '--set', 'banner=[Welcome.]')).toEqual({ banner: ['Welcome.'] })
})

test('other lists are joined, but for those that their policy marks', async () => {
  const file = join(temporaryDirectory(), 'lists.yaml')
  writeFileSync(
    file,
    'data:\n  joined: [a]\n  # @replace\n  own: [a]\nccm: { resources: [{ file: [{ /srv/a: { ensure: absent } }] }] }\n',
  )
  const { stdout } = await runInProcess('data', file, '--set', 'joined=[b]', '--set', 'own=[b]')
  expect(parse(stdout)).toEqual({ joined: ['a', 'b'], own: ['b'] })
})
