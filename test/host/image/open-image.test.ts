import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openImageTarget } from '../../../src/host/image/open-image.ts'
import type { Target } from '../../../src/host/target.ts'
import { dockerFiles, type ImageParts, savedTar } from '../../support/image.ts'
import { paxHeader, type TarEntry } from '../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function open(...layers: ImageParts['layers']): Promise<Target> {
  const path = join(temporaryDirectory(), 'image.tar')
  writeFileSync(path, savedTar(dockerFiles({ layers })))
  const opened = await openImageTarget(path)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target
}

function text(target: Target, path: string): string | undefined {
  const head = target.files.readHead(path, 100)
  return head.kind === 'known' ? Buffer.from(head.value).toString() : undefined
}

const directory = (name: string, more: Partial<TarEntry> = {}): TarEntry => ({ name, type: '5', mode: 0o755, ...more })

describe('the layers of an image', () => {
  test('are one tree with the modes, owners and contents of the highest', async () => {
    const target = await open(
      [directory('etc/'), { name: 'etc/a', content: 'low', uid: 5 }, { name: 'etc/b', content: 'stays', mode: 0o600 }],
      [{ name: 'etc/a', content: 'high', uid: 1000, gid: 1001, mode: 0o4711, mtime: 86_400 }],
    )
    expect(target.files.lstat('/etc/a')).toMatchObject({
      kind: 'present',
      state: { kind: 'file', mode: 0o4711, uid: 1000, gid: 1001, sizeBytes: 4, modifiedMs: 86_400_000, linkCount: 1 },
    })
    expect([text(target, '/etc/a'), text(target, '/etc/b')]).toEqual(['high', 'stays'])
    expect(target.files.listTree('/')).toMatchObject({ value: [{ path: 'etc' }, { path: 'etc/a' }, { path: 'etc/b' }] })
  })

  test('take away what whiteouts name, and all of a directory that is opaque', async () => {
    const target = await open(
      [{ name: 'etc/gone/deep', content: 'x' }, { name: 'etc/kept' }, { name: 'opt/low' }, { name: 'opt/sub/low' }],
      [{ name: 'etc/.wh.gone' }, { name: 'opt/sub/high' }, { name: 'opt/.wh..wh..opq' }, { name: 'opt/new' }],
    )
    expect(target.files.listTree('/')).toMatchObject({
      value: ['etc', 'etc/kept', 'opt', 'opt/new', 'opt/sub', 'opt/sub/high'].map((path) => ({ path })),
    })
  })

  test('know hard links from one to another', async () => {
    const target = await open(
      [{ name: 'etc/a', content: 'same' }],
      [{ name: 'etc/b', type: '1', link: 'etc/a' }, { name: 'etc/.wh.a' }],
      [{ name: 'etc/c', type: '1', link: 'etc/b' }],
    )
    expect([text(target, '/etc/c'), target.files.lstat('/etc/a').kind]).toEqual(['same', 'absent'])
    expect(target.files.lstat('/etc/b')).toMatchObject({ state: { linkCount: 2 } })
  })

  test.each([
    ['a file where a directory was', [{ name: 'etc/x', content: 'now' }], 'file'],
    ['a link where a directory was', [{ name: 'etc/x', type: '2', link: '/' }], 'symlink'],
    ['a directory stays one', [directory('etc/x/', { mode: 0o700 })], 'directory'],
    ['a device', [{ name: 'etc/x', type: '3' }], undefined],
  ] satisfies [string, TarEntry[], string | undefined][])('%s', async (_name, layer, kind) => {
    const opening = open([{ name: 'etc/x/y' }], layer)
    if (kind === undefined) return expect(opening).rejects.toThrow(/"etc\/x" is the device 0:0/)
    const target = await opening
    expect(target.files.lstat('/etc/x')).toMatchObject({ state: { kind } })
    expect(target.files.lstat('/etc/x/y').kind).toBe(kind === 'directory' ? 'present' : 'absent')
  })

  test('follow links inside, and never out', async () => {
    const target = await open([
      { name: 'etc/passwd', content: 'inside' },
      { name: 'srv/out', type: '2', link: '../../../../etc/passwd' },
      { name: 'srv/abs', type: '2', link: '/etc' },
      { name: 'bin', type: '2', link: 'usr/bin' },
      directory('usr/bin/'),
      { name: 'bin/tool', content: 'below the link' },
    ])
    expect([text(target, '/srv/out'), text(target, '/srv/abs/passwd')]).toEqual(['inside', 'inside'])
    expect(text(target, '/usr/bin/tool')).toBe('below the link')
    expect(target.files.realPath('/srv/abs/../srv/out')).toEqual({ kind: 'known', value: '/etc/passwd' })
  })

  test('have long names, names that are no UTF-8, and extended attributes', async () => {
    const long = `${'d/'.repeat(80)}file`
    const target = await open([
      paxHeader({ path: long, uid: '4000000000' }),
      { name: 'short', content: 'long' },
      { name: './././@LongLink', type: 'L', content: `etc/${'n'.repeat(200)}\0` },
      { name: 'short', content: 'gnu' },
    ])
    expect(text(target, `/${long}`)).toBe('long')
    expect(target.files.lstat(`/${long}`)).toMatchObject({ state: { uid: 4_000_000_000 } })
    expect(text(target, `/etc/${'n'.repeat(200)}`)).toBe('gnu')
  })

  test('have capabilities, which files without attributes have not', async () => {
    // cap_net_raw=ep as setcap(8) stores it: revision 2 with the flag of effective ones, bit 13 permitted.
    const ping = '\u0001\0\0\u0002\0\u0020' + '\0'.repeat(14)
    const target = await open([
      paxHeader({ 'SCHILY.xattr.security.capability': ping }),
      { name: 'bin/ping' },
      { name: 'bin/cat' },
      paxHeader({ 'SCHILY.xattr.system.posix_acl_access': 'none' }),
      { name: 'bin/odd' },
    ])
    expect(await target.access.beyondMode(['/bin/ping', '/bin/cat', '/bin/odd', '/bin/gone'])).toEqual([
      {
        kind: 'known',
        value: {
          acl: undefined,
          defaultAcl: undefined,
          capabilities: { permitted: 1n << 13n, inheritable: 0n, effective: true, rootId: undefined },
        },
      },
      { kind: 'known', value: { acl: undefined, defaultAcl: undefined, capabilities: undefined } },
      expect.objectContaining({ kind: 'unknown', detail: expect.stringMatching(/malformed/) as unknown }),
      expect.objectContaining({ kind: 'unknown' }),
    ])
  })
})
