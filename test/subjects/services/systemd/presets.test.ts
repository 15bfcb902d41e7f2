import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRootedTarget } from '../../../../src/host/root/open-root.ts'
import { filesBelow } from '../../../../src/host/live/machine-files.ts'
import { readingOf } from '../../../../src/host/live/machine-reading.ts'
import { readPreset } from '../../../../src/subjects/services/systemd/presets.ts'
import { numbersFrom } from '../../../support/numbers.ts'
import { needsSystemctl } from '../../../support/systemctl.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { SERVICES } from '../../../../src/subjects/services/subject.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { cases } from '../../../support/soak.ts'

const COUNT = cases({ usual: 10, soak: 1000 })
const UNITS = [
  'web.service',
  'web-a.service',
  'db.socket',
  String.raw`a\x2db.service`,
  'job@.service',
  'job@one.service',
  'job@two.service',
]
const PATTERNS = [
  '*',
  'web*',
  'web-?.service',
  '*.socket',
  'db.*',
  'w[!b-d]b.service',
  '[a-e]*',
  String.raw`a\x2db.service`,
  'job@.service',
  'job@*',
  'job@.service one',
  'job@.service two three',
]
const PLACES = ['etc/systemd/system-preset', 'usr/lib/systemd/system-preset']

const unitFile = '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n'

function makeRoot(random: () => number): string {
  const root = temporaryDirectory()
  const one = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
  mkdirSync(join(root, 'usr/lib/systemd/system'), { recursive: true })
  for (const unit of UNITS.filter((name) => !/@./.test(name.replace('@.', '')))) {
    writeFileSync(join(root, 'usr/lib/systemd/system', unit), unitFile)
  }
  for (const place of PLACES) {
    mkdirSync(join(root, place), { recursive: true })
    for (const name of ['10-a.preset', '50-b.preset', '90-c.conf'].filter(() => random() < 0.6)) {
      const lines = Array.from(
        { length: 3 },
        () => `${one(['enable', 'disable', '# enable', ' enable', 'ignored'])} ${one(PATTERNS)}\n`,
      )
      writeFileSync(join(root, place, name), lines.join(''))
    }
  }
  return root
}

/** What systemctl makes of a unit that is enabled, or that is not. */
function presetBySystemctl(root: string, unit: string): string {
  const links = join(root, 'etc/systemd/system')
  rmSync(links, { recursive: true, force: true })
  const { status, stderr } = spawnSync('systemctl', ['--root', root, 'preset', unit], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return lstatSync(join(links, 'multi-user.target.wants', unit), { throwIfNoEntry: false }) !== undefined
    ? 'enable'
    : 'disable'
}

describe.skipIf(needsSystemctl)('the preset of a unit', () => {
  test(`has the effect of systemctl preset, ${COUNT} times`, () => {
    const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
    const wrong: unknown[] = []
    for (let index = 0; index < COUNT; index++) {
      const root = makeRoot(random)
      // A template is enabled by the instance that it names, so no link tells what is said of it.
      for (const unit of UNITS.filter((name) => name !== 'job@.service')) {
        const preset = readPreset(readingOf(filesBelow(root)), unit)
        const ours = preset.kind === 'known' ? preset.value : preset
        const theirs = presetBySystemctl(root, unit)
        if (!('action' in ours) || (ours.action !== theirs && ours.action !== 'ignore'))
          wrong.push({
            unit,
            ours,
            theirs,
            files: spawnSync('grep', ['-r', '.', ...PLACES], { cwd: root, encoding: 'utf8' }).stdout,
          })
      }
    }
    expectAgreement({ reader: 'presets', program: 'systemctl', texts: COUNT }, wrong)
  }, 60_000)
})

describe('before the first start of a system', () => {
  async function enablementOf(unit: string, files: Readonly<Record<string, string>>): Promise<unknown> {
    const root = temporaryDirectory()
    const all = { 'usr/bin/systemctl': '', [`usr/lib/systemd/system/${unit}`]: unitFile, ...files }
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(join(root, path, '..'), { recursive: true })
      if (path === WANTED) symlinkSync(text, join(root, path))
      else writeFileSync(join(root, path), text)
    }
    const opened = openRootedTarget(root)
    if (opened.kind === 'refused') throw new Error(opened.message)
    const status = await opened.target.open(SERVICES).status(unit, new AbortController().signal)
    if (status.kind !== 'present' || status.state.enablement.kind === 'unknown') throw new Error('it is there')
    return status.state.enablement.value.unsettled?.detail
  }

  const WANTED = 'etc/systemd/system/multi-user.target.wants/web.service'
  const presets = (text: string): Readonly<Record<string, string>> => ({
    'usr/lib/systemd/system-preset/1.preset': text,
  })

  // machine-id(5), "First Boot Semantics": no file, or the word "uninitialized".
  test.each([
    ['no preset matches it', {}, /may enable it by preset \(no preset matches it\)/],
    [
      'a preset enables it',
      { ...presets('enable web*\n'), 'etc/machine-id': 'uninitialized\n' },
      /may enable it by preset \(\/usr\/lib.*1\.preset:1\)/,
    ],
    ['a preset disables it', presets('disable *\n'), undefined],
    [
      'a preset disables it, and it is enabled',
      { ...presets('disable *\n'), [WANTED]: '/usr/lib/systemd/system/web.service' },
      /may disable it/,
    ],
    ['it is enabled', { [WANTED]: '/usr/lib/systemd/system/web.service' }, undefined],
    ['the system was started', { 'etc/machine-id': `${'a'.repeat(32)}\n` }, undefined],
    ['the next start is no first one', { 'etc/machine-id': '' }, undefined],
  ])('%s', async (_name, files, expected) => {
    const said = await enablementOf('web.service', { 'etc/os-release': '', ...files })
    expect(said).toEqual(expected === undefined ? undefined : expect.stringMatching(expected))
  })
})
