import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bundle, makeBundle } from '../../../src/fleet/evidence/bundle.ts'
import { chainDirectory, signRun } from '../../../src/fleet/evidence/chain.ts'
import { STATEMENT_PAYLOAD } from '../../../src/fleet/evidence/statement.ts'
import { verifyBundle } from '../../../src/fleet/evidence/verify.ts'
import { storeRun } from '../../../src/runs/history/store.ts'
import { preAuthEncoding, sealEnvelope } from '../../../src/host/signing/envelope.ts'
import { type Key, makeKeys, readPrivateKey, readPublicKey } from '../../../src/host/signing/keys.ts'
import { storedRun } from '../../runs/history/support.ts'
import { needsPrograms } from '../../support/programs.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

/** A pair of keys in files, as the command makes them. */
function keys(): { readonly signing: Key; readonly trusted: Key; readonly publicFile: string } {
  const directory = temporaryDirectory()
  const { privatePem, publicPem } = makeKeys()
  const [file, publicFile] = [join(directory, 'key'), join(directory, 'key.pub')]
  writeFileSync(file, privatePem, { mode: 0o600 })
  writeFileSync(publicFile, publicPem)
  return { signing: readPrivateKey(file), trusted: readPublicKey(publicFile), publicFile }
}

async function history(
  ids: readonly string[],
  key: Key | undefined,
  directory = temporaryDirectory(),
): Promise<string> {
  for (const [index, id] of ids.entries()) {
    const startedAt = `2026-11-2${index}T12:00:00.000Z`
    await storeRun(directory, storedRun({ id, startedAt }), key && ((report) => signRun(directory, report, key)))
  }
  return directory
}

const EVER = { host: 'web01', sinceMs: -Infinity, untilMs: Infinity }

async function bundleOf(directory: string, wanted = EVER): Promise<Bundle> {
  const { bundle } = await makeBundle({ directory, ...wanted })
  return JSON.parse(JSON.stringify(bundle)) as Bundle
}

test('the signed bytes are the encoding of the specification', () => {
  // The example of DSSE's protocol.md.
  expect(preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  )
  expect(preAuthEncoding('ä', Buffer.from('ö')).toString()).toBe('DSSEv1 2 ä 2 ö')
})

describe('three signed runs', () => {
  let signing: Key
  let trusted: Key
  let publicFile = ''
  let directory = ''
  let bundle: Bundle
  beforeEach(async () => {
    ;({ signing, trusted, publicFile } = keys())
    directory = await history(['aaaa0001', 'aaaa0002', 'aaaa0003'], signing)
    bundle = await bundleOf(directory)
  })

  const verify = (changed: unknown, ...trustedKeys: readonly Key[]): ReturnType<typeof verifyBundle> =>
    verifyBundle(changed, trustedKeys.length === 0 ? [trusted] : trustedKeys)
  const links = (...order: readonly number[]): Bundle => ({
    ...bundle,
    links: order.flatMap((index) => bundle.links[index] ?? []),
  })

  test('are verified, and say from when to when', async () => {
    const found = await verify(bundle)
    expect(found).toMatchObject({ host: 'web01', wrong: [], unproved: [], span: { count: 3 } })
    expect(found.span?.last.predicate.run.startedAt).toBe('2026-11-22T12:00:00.000Z')
  })

  test('no changed byte of a bundle passes', async () => {
    const text = Buffer.from(JSON.stringify({ ...bundle, links: bundle.links.map(({ envelope }) => ({ envelope })) }))
    const passed: number[] = []
    const sound = await verify(JSON.parse(text.toString()))
    for (let index = 0; index < text.length; index++) {
      const changed = Buffer.from(text)
      changed.writeUInt8(changed.readUInt8(index) ^ (1 << (index % 7)), index)
      const found = await verifyText(changed.toString())
      if (found === 'sound') passed.push(index)
    }
    expect(sound).toMatchObject({ wrong: [] })
    expect(passed).toEqual([])
    async function verifyText(changed: string): Promise<'sound' | 'refused'> {
      try {
        return (await verify(JSON.parse(changed))).wrong.length === 0 ? 'sound' : 'refused'
      } catch {
        return 'refused'
      }
    }
  })

  test.each([
    ['a run left out', () => links(0, 2), ['run 2 is missing']],
    [
      'runs in another order',
      () => links(0, 2, 1),
      ['run 2 is missing', 'run 2 follows run 3: the runs are out of order or duplicated'],
    ],
    ['a run twice', () => links(0, 1, 1, 2), ['run 2 follows run 2: the runs are out of order or duplicated']],
    [
      'another host',
      () => ({ ...bundle, host: 'db01' }),
      [1, 2, 3].map((run) => `run ${run}: it is of the host web01, not of db01`),
    ],
    [
      'the report of another run',
      () => ({
        ...bundle,
        links: bundle.links.map((link, index) => ({
          ...link,
          ...(index === 1 && { report: bundle.links[0]?.report }),
        })),
      }),
      ['run 2: the report is not the one that was signed'],
    ],
    [
      'base64 that only decodes to the same',
      () => ({
        ...bundle,
        links: bundle.links.map((link, index) => ({
          ...link,
          ...(index === 1 && { report: `${link.report ?? ''}\n` }),
        })),
      }),
      ['run 2: the report is not the one that was signed'],
    ],
  ])('%s is told', async (_what, change, wrong) => {
    expect((await verify(change())).wrong).toEqual(wrong)
  })

  test('a run replaced and signed by another key is reported twice: by its key, and by the run after it', async () => {
    const other = keys()
    const forged = await bundleOf(await history(['aaaa0001', 'bbbb0002'], other.signing))
    const changed = { ...bundle, links: [bundle.links[0], forged.links[1], bundle.links[2]] }
    const { id } = other.signing
    expect((await verify(changed)).wrong).toEqual([
      `signed run 2 of the bundle: signed by an unknown key: ${id}`,
      'run 3 does not follow this run 2: one of them was replaced',
    ])
    expect((await verify(changed, trusted, other.trusted)).wrong).toHaveLength(1)
  })

  test('a report that its host signed and described otherwise is told', async () => {
    const { links: all } = bundle
    const lying = temporaryDirectory()
    signRun(lying, Buffer.from(all[0]?.report ?? '', 'base64').toString(), signing)
    const [name = ''] = readdirSync(chainDirectory(lying, 'web01'))
    const envelope = JSON.parse(readFileSync(join(chainDirectory(lying, 'web01'), name), 'utf8')) as { payload: string }
    const said = JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as { predicate: { exitCode: number } }
    said.predicate.exitCode = 7
    const lie = {
      envelope: sealEnvelope(STATEMENT_PAYLOAD, Buffer.from(JSON.stringify(said)), signing),
      report: all[0]?.report,
    }
    expect((await verify({ ...bundle, links: [lie] })).wrong).toEqual([
      'run 1: its signed summary differs from its report',
    ])
  })

  test('without a key nothing is proved', async () => {
    const { wrong, unproved } = await verifyBundle(bundle, [])
    expect({ wrong, unproved }).toEqual({ wrong: [], unproved: ['no key was named, so no signature was checked'] })
  })

  test('a bundle is of the days that are wanted, without a gap', async () => {
    const day = Date.parse('2026-11-21')
    const one = await bundleOf(directory, { host: 'web01', sinceMs: day, untilMs: day + 86_399_999 })
    expect((await verify(one)).span).toMatchObject({ count: 1, first: { predicate: { sequence: 2 } } })
  })

  test.skipIf(needsPrograms('openssl'))('openssl takes the signature', () => {
    const scratch = temporaryDirectory()
    const [link = { envelope: undefined }] = bundle.links
    const { payload, payloadType, signatures } = link.envelope as {
      payload: string
      payloadType: string
      signatures: { sig: string }[]
    }
    const body = Buffer.from(payload, 'base64')
    const head = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `
    writeFileSync(join(scratch, 'signed'), Buffer.concat([Buffer.from(head), body]))
    writeFileSync(join(scratch, 'sig'), Buffer.from(signatures[0]?.sig ?? '', 'base64'))
    const check = ['pkeyutl', '-verify', '-pubin', '-inkey', publicFile, '-rawin', '-in', 'signed', '-sigfile', 'sig']
    expect(execFileSync('openssl', check, { cwd: scratch, encoding: 'utf8' })).toContain('Verified Successfully')
  })
})

test('runs that were never signed, and reports that are gone, are handed over as such', async () => {
  const { signing, trusted } = keys()
  const directory = await history(['aaaa0001'], undefined)
  await history(['aaaa0002', 'aaaa0003'], signing, directory)
  const [first = ''] = readdirSync(directory).filter((name) => name.includes('aaaa0002'))
  rmSync(join(directory, first))
  const bundle = await bundleOf(directory)
  expect(bundle.unsigned).toHaveLength(1)
  const { wrong, unproved } = await verifyBundle(bundle, [trusted])
  expect(wrong).toEqual([])
  expect(unproved).toEqual(['run 1: its report is not in the bundle', '1 of the runs are unsigned'])
})

test('of two machines of one name the one that is meant is handed over', async () => {
  const { signing, trusted } = keys()
  const directory = temporaryDirectory()
  for (const [machine, count] of [
    ['aaaa', 1],
    ['bbbb', 2],
  ] as const) {
    const folder = join(directory, machine)
    mkdirSync(folder)
    for (let run = 1; run <= count; run++) {
      const stored = storedRun({ id: `${machine}000${run}`, startedAt: `2026-11-2${run}T12:00:00.000Z`, machine })
      await storeRun(folder, stored, (report) => signRun(folder, report, signing))
    }
  }
  await expect(bundleOf(directory)).rejects.toThrow(
    "web01 is the name of 2 machines: select one with --host 'web01 (aaaa)' or --host 'web01 (bbbb)'",
  )
  for (const [machine, count] of [
    ['aaaa', 1],
    ['bbbb', 2],
  ] as const) {
    const bundle = await bundleOf(directory, { ...EVER, host: `web01 (${machine})` })
    expect(bundle).toMatchObject({ host: 'web01', unsigned: [] })
    expect(await verifyBundle(bundle, [trusted])).toMatchObject({ wrong: [], unproved: [], span: { count } })
  }
  await expect(bundleOf(directory, { ...EVER, host: 'web01 (cccc)' })).rejects.toThrow('of the host web01 (cccc)')
})

test('a link that was cut off shows, and nothing is signed behind it', async () => {
  const { signing, trusted } = keys()
  const directory = await history(['aaaa0001'], signing)
  writeFileSync(join(chainDirectory(directory, 'web01'), '000000000001.dsse'), '{"payload')
  await expect(history(['aaaa0002'], signing, directory)).rejects.toThrow('000000000001.dsse is not a signed run')
  const { wrong } = await verifyBundle(await bundleOf(directory), [trusted])
  expect(wrong).toEqual(['signed run 1 of the bundle: the envelope is not a DSSE envelope'])
})

test('a private key that others may read signs nothing', () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'key')
  writeFileSync(file, makeKeys().privatePem)
  chmodSync(file, 0o640)
  expect(() => readPrivateKey(file)).toThrow('with mode 0640 other users can read it; run chmod 0600')
  writeFileSync(file, 'nothing')
  expect(() => readPublicKey(file)).toThrow('does not contain an Ed25519 key')
})

test.each([[null], [[]], [{}], [{ schema: 'driftgate.evidence/v2', host: 'a', links: [], unsigned: [] }]])(
  '%j is no bundle',
  async (value) => {
    await expect(verifyBundle(value, [])).rejects.toThrow('not an evidence bundle')
  },
)
