import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DRIFTGATE } from '../support/driftgate.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'

// Each scan sees files of its own in /etc, in a mount namespace that ends with it.
const cannotRun =
  needsRoot ??
  (spawnSync('unshare', ['--mount', 'setpriv', '--dump']).status === 0 ? undefined : 'needs unshare and setpriv')

const POLICY = `
ccm:
  resources:
    - file:
        - /nowhere/family: {ensure: absent, control: {if: Facts.host.info.platformFamily == 'none'}}
        - /nowhere/lookup: {ensure: absent, control: {if: "lookup('facts.host.info.PlatformFamily', 'x') == 'none'"}}
        - /nowhere/some: {ensure: absent, control: {if: '"platformFamily" in Facts.host.info'}}
        - /nowhere/all: {ensure: absent, control: {if: len(Facts.host.info) > 3}}
        - '/nowhere/{{ Facts.host.info.platform }}': {ensure: absent}
        - /nowhere/role: {ensure: absent, control: {if: (Facts.role ?? 'none') == 'none'}}
        - /nowhere/kernel: {ensure: absent, control: {if: Facts.host.info.kernelVersion != ''}}
`

interface Outcome {
  /** Verdict and reason by the last part of the name. */
  readonly results: Readonly<Record<string, string>>
  readonly messages: string
  readonly warnings: readonly string[]
  readonly code: number | null
}

/** Scans on this machine with /etc replaced by a copy that the script changes; `$D` is a directory for it. */
function scanWith(script: string, { uid = 0 }: { readonly uid?: number } = {}): Outcome {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  mkdirSync(join(directory, 'home'))
  writeFileSync(join(directory, 'p.yaml'), POLICY)
  const start = uid === 0 ? '' : `setpriv --reuid ${uid} --regid ${uid} --clear-groups`
  const command = `set -e; cp -a /etc "$D/etc"; mount --bind "$D/etc" /etc; ${script}
    cd "$D"; exec ${start} "$NODE" "$DRIFTGATE" scan p.yaml --quiet --report json`
  const env = {
    PATH: process.env['PATH'],
    HOME: join(directory, 'home'),
    D: directory,
    NODE: process.execPath,
    DRIFTGATE,
  }
  const { stdout, stderr, status } = spawnSync('unshare', ['--mount', 'sh', '-c', command], { env, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  const report = JSON.parse(stdout) as {
    readonly problems?: readonly { readonly message: string }[]
    readonly policies: readonly {
      readonly resources: readonly {
        readonly id: string
        readonly verdict: string
        readonly reason?: string
        readonly message?: string
      }[]
    }[]
  }
  const resources = report.policies.flatMap((policy) => policy.resources)
  return {
    results: Object.fromEntries(
      resources.map(({ id, verdict, reason }) => [
        id.replace(/^.*\//, ''),
        [verdict, reason].filter(Boolean).join(' '),
      ]),
    ),
    messages: resources.map(({ message }) => message).join('\n'),
    warnings: (report.problems ?? []).map(({ message }) => message),
    code: status,
  }
}

const UNREAD = 'error not-observable'
const FAMILY_UNREAD = {
  family: UNREAD,
  lookup: UNREAD,
  some: UNREAD,
  all: UNREAD,
  role: 'compliant',
  kernel: 'compliant',
}
const ALL_UNREAD = { family: UNREAD, lookup: UNREAD, some: UNREAD, all: UNREAD, role: UNREAD, kernel: UNREAD }

const own = 'mkdir -p /etc/driftgate; echo "role: web" > /etc/driftgate/facts.yaml;'

describe.skipIf(cannotRun)('facts that could not be read', () => {
  test('on a machine with readable facts all are known, to any user', () => {
    const known = { family: 'not-applicable', lookup: 'not-applicable', some: 'compliant', all: 'compliant' }
    const expected = { ...known, role: 'compliant', kernel: 'compliant' }
    expect(scanWith('').results).toMatchObject(expected)
    expect(scanWith('', { uid: 65534 }).results).toMatchObject(expected)
    expect(scanWith(own, { uid: 65534 }).results).toMatchObject({ ...expected, role: 'not-applicable' })
  })

  test.each([
    // Only root may read it.
    ['EACCES', 'rm /etc/os-release; cp /usr/lib/os-release /etc/os-release; chmod 0000 /etc/os-release', 65534],
    // Nothing is mapped at the start of a process, so the memory there cannot be read: EIO.
    ['EIO', 'rm /etc/os-release; touch /etc/os-release; mount --bind /proc/self/mem /etc/os-release', 0],
    ['a directory', 'rm /etc/os-release; mkdir /etc/os-release', 0],
  ])('an os-release file that gives %s', (_title, script, uid) => {
    const { results, messages, code } = scanWith(script, { uid })
    expect(results).toMatchObject(FAMILY_UNREAD)
    expect(results['{{ Facts.host.info.platform }}']).toBe(UNREAD)
    expect(messages).toMatch(/the fact "host\.info\.platformFamily" could not be read: .*os-release/)
    expect(code).toBe(3)
  })

  test('an empty os-release file is valid, and the other place is not read', () => {
    const { results } = scanWith('rm /etc/os-release; : > /etc/os-release')
    expect(results).toMatchObject({ family: 'not-applicable', kernel: 'compliant' })
  })

  test.each([
    ['a link in place of the directory', `${own} mv /etc/driftgate /etc/other; ln -s other /etc/driftgate`, /symlink/],
    ['a directory that cannot be entered', `${own} chmod 0700 /etc/driftgate`, /permission denied|EACCES/i],
    [
      'a file of more than a megabyte',
      `${own} head -c 1100000 /dev/zero | tr '\\0' '#' >> /etc/driftgate/facts.yaml`,
      /larger than 1 MiB/,
    ],
    ['a file that others can write', `${own} chmod 0666 /etc/driftgate/facts.yaml`, /other users can write/],
    ['a file that only root can read', `${own} chmod 0600 /etc/driftgate/facts.yaml`, /permission denied|EACCES/i],
    [
      'a link as a file',
      `${own} mv /etc/driftgate/facts.yaml /etc/f; ln -s /etc/f /etc/driftgate/facts.yaml`,
      /symlink/,
    ],
    ['a file that is no YAML', `${own} echo "{" > /etc/driftgate/facts.yaml`, /facts\.yaml/],
    ['a link in place of facts.d', `${own} ln -s /tmp /etc/driftgate/facts.d`, /facts\.d .*symlink/],
  ])('%s', (_title, script, message) => {
    const { results, warnings, code } = scanWith(script, { uid: 65534 })
    expect(results).toMatchObject(ALL_UNREAD)
    expect(warnings.join('\n')).toMatch(message)
    expect(code).toBe(3)
  })

  test('a fact that overrides an unreadable file is known', () => {
    const script = `${own} chmod 0666 /etc/driftgate/facts.yaml; mkdir /etc/driftgate/facts.d; echo "role: db" > /etc/driftgate/facts.d/a.yaml`
    expect(scanWith(script, { uid: 65534 }).results).toMatchObject({ ...ALL_UNREAD, role: 'not-applicable' })
  })
})
