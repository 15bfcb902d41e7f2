import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { openRootedMachine } from '../../../src/host/root/rooted-machine.ts'
import { numbersFrom } from '../../support/numbers.ts'
import { cases } from '../../support/soak.ts'
import { needsSystemctl } from '../../support/systemctl.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { link, makeRoot, MASK, type Planted, type UnitTree } from '../../subjects/services/systemd/unit-tree.ts'
import { SERVICES } from '../../../src/subjects/services/subject.ts'

const COUNT = cases({ usual: 50, soak: 3000 })

const STEPS = ['enable', 'disable', 'mask', 'unmask'] as const
type Step = (typeof STEPS)[number]

const NAMES = ['a.service', 'b.service', 'a@.service', 'a@one.service', 'c.socket', 'd.target', 'e.mount', 'f.timer']
const OTHERS = ['multi-user.target', 'b.service', 'g.target', 'h@.target', 'h@one.target']
const OWN = '/etc/systemd/system'
const VENDOR = '/usr/lib/systemd/system'

/** Some units of every kind, with links as an administrator or an earlier version may have left them. */
function drawTree(random: () => number): UnitTree {
  const one = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
  const some = (values: readonly string[]): string => values.filter(() => random() < 0.4).join(' ')
  const install = (): string =>
    [
      ...(random() < 0.6 ? [`WantedBy=${some(OTHERS)} multi-user.target`] : []),
      ...(random() < 0.3 ? [`RequiredBy=${one(OTHERS)}`] : []),
      ...(random() < 0.3
        ? [`Alias=${one(['alias.service', 'alias@.service', 'alias.socket', 'al-%p.service', 'b.service'])}`]
        : []),
      ...(random() < 0.3 ? [`Also=${one(NAMES)} ${random() < 0.3 ? 'missing.service' : ''}`] : []),
      ...(random() < 0.3 ? [`DefaultInstance=${one(['one', 'two'])}`] : []),
      ...(random() < 0.1 ? ['WantedBy=', 'WantedBy=w-%N.target %i.target'] : []),
    ].join('\n')
  const file = (): Planted => ({ content: `[Unit]\nDescription=x\n[Install]\n${install()}\n` })
  const tree: Record<string, Planted> = { '/etc/hostname': { content: 'a\n' } }
  for (const name of NAMES.filter((each) => each !== 'a@one.service')) {
    const draw = random()
    if (draw < 0.75) tree[`${VENDOR}/${name}`] = file()
    if (draw > 0.65 && draw < 0.9) tree[`${OWN}/${name}`] = file()
    if (random() < 0.08) tree[`${OWN}/${name}`] = MASK
    if (random() < 0.15) tree[`${OWN}/${name}.d/x.conf`] = file()
    if (random() < 0.2) tree[`${OWN}/multi-user.target.wants/${name}`] = link(`${one([OWN, VENDOR])}/${name}`)
    if (random() < 0.1) tree[`${OWN}/alias.service`] = link(`${VENDOR}/${name}`)
    if (random() < 0.05) tree[`${OWN}/second.service`] = link(`${OWN}/alias.service`)
  }
  if (random() < 0.2) {
    tree['/opt/linked.service'] = file()
    tree[`${OWN}/linked.service`] = link('/opt/linked.service')
  }
  if (random() < 0.3) tree[`${OWN}/multi-user.target.wants/a@one.service`] = link(`${VENDOR}/a@.service`)
  return tree
}

/** Every entry below the directory of links, and where it leads. */
function linksIn(root: string): readonly string[] {
  return readdirSync(join(root, OWN), { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path.slice(root.length)} ${entry.isSymbolicLink() ? readlinkSync(path) : ''}`
    })
    .toSorted()
}

interface Done {
  readonly failed: boolean
  readonly why: string
  readonly links: readonly string[]
}

function bySystemctl(root: string, step: Step, name: string): Done {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' }
  const { status, stderr } = spawnSync('systemctl', [`--root=${root}`, step, name], { encoding: 'utf8', env })
  return { failed: status !== 0, why: stderr, links: linksIn(root) }
}

async function byUs(root: string, step: Step, name: string): Promise<Done> {
  const opened = openRootedMachine(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  const services = opened.machine.openRemediator(NO_JOURNAL).open(SERVICES)
  const outcome = await services.change(name, [step], new AbortController().signal)
  return {
    failed: outcome.kind === 'failed',
    why: outcome.kind === 'failed' ? outcome.message : '',
    links: linksIn(root),
  }
}

const same = (left: readonly string[], right: readonly string[]): boolean => left.join('\n') === right.join('\n')

test.skipIf(needsSystemctl)(
  `systemctl --root makes and takes away the same links, ${COUNT} times`,
  async () => {
    const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
    const met = { changed: 0, failed: 0 }
    const wrong: unknown[] = []
    for (let index = 0; index < COUNT; index++) {
      const { root: ours } = makeRoot({ ...drawTree(random), [`${OWN}/keep/x`]: { content: '' } })
      const theirs = temporaryDirectory()
      cpSync(ours, theirs, { recursive: true, verbatimSymlinks: true })
      const before = linksIn(ours)
      const step = STEPS[Math.floor(random() * (random() < 0.6 ? 2 : 4))] ?? 'enable'
      const name =
        [...NAMES.filter((each) => each !== 'a@.service'), 'linked.service'][Math.floor(random() * NAMES.length)] ?? ''
      const expected = bySystemctl(theirs, step, name)
      const done = await byUs(ours, step, name)
      // What systemctl refuses after half of the work is refused here before it.
      const isRight = done.failed
        ? expected.failed && same(done.links, before)
        : !expected.failed && same(done.links, expected.links)
      if (!isRight) wrong.push({ index, step, name, expected, done })
      if (done.failed) met.failed++
      else if (!same(before, done.links)) met.changed++
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(met.changed).toBeGreaterThan(COUNT / 4)
  },
  120_000,
)

test('a link that leads elsewhere stays, and the unit and what stands in the way are named', async () => {
  const wanted = `${OWN}/multi-user.target.wants`
  const { root } = makeRoot({
    '/etc/hostname': { content: 'a\n' },
    [`${VENDOR}/a.service`]: { content: '[Install]\nWantedBy=multi-user.target\n' },
    [`${wanted}/a.service`]: { content: 'no link\n' },
  })
  const before = linksIn(root)
  expect(await byUs(root, 'enable', 'a.service')).toEqual({
    failed: true,
    why: expect.stringMatching(
      new RegExp(`^cannot enable a\\.service: ${wanted}/a\\.service exists and does not point to `),
    ),
    links: before,
  })
})
