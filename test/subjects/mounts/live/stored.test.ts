import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mountUnit } from '../../../../src/subjects/mounts/live/mount-units.ts'
import { openMounts } from '../../../../src/subjects/mounts/live/mounts.ts'
import { mountPlace } from '../../../../src/subjects/mounts/live/place.ts'
import { resolveOptions } from '../../../../src/host/mount-options.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'

const SYSTEMD = '/usr/lib/systemd/systemd'
const GENERATOR = '/usr/lib/systemd/system-generators/systemd-fstab-generator'
const needsSystemd = needsRoot ?? (existsSync(SYSTEMD) && existsSync(GENERATOR) ? undefined : 'needs systemd')

const PATHS = [
  '/tmp',
  '/var',
  '/var/tmp',
  '/var/log',
  '/var/log/audit',
  '/home',
  '/srv/a b',
  '/srv/a-b',
  '/srv/.x',
  '/opt',
]

/** Others are mounted in these, and bring them along. */
const OUTER = new Set(['/var', '/var/log', '/srv'])

const path = fc.constantFrom(...PATHS)
const options = fc
  .array(fc.constantFrom('defaults', 'nodev', 'nosuid', 'noexec', 'ro', 'size=50%', 'user', 'exec', 'dev'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((words) => words.join(','))

const line = fc
  .record({
    path,
    options,
    extra: fc.constantFrom('', '', '', ',noauto', ',noauto,auto', ',nofail'),
    slash: fc.boolean(),
  })
  .map(
    (each) =>
      `tmpfs ${each.path.replace(' ', '\\040')}${each.slash ? '/' : ''}\ttmpfs ${each.options}${each.extra} 0 0`,
  )

const other = fc.constantFrom('# a comment', '', '  # another', 'none none swap sw 0 0', 'proc /proc proc hidepid=2')

const unitFile = fc.record({
  kind: fc.constantFrom('unit', 'unit', 'mask', 'drop-in', 'drop-in', 'drop-in', 'start'),
  at: fc.constantFrom('etc', 'usr/local/lib', 'usr/lib'),
  path,
  options: fc.option(options),
  name: fc.constantFrom('10-a.conf', '50-b.conf', 'zz-driftgate.conf', 'zzz.conf', 'not-read.txt'),
  level: fc.constantFrom('own', 'own', 'beginning', 'type'),
})

const tree = fc.record({
  fstab: fc.uniqueArray(fc.oneof({ weight: 4, arbitrary: line }, other), {
    maxLength: 8,
    // Two for the same path end systemd's generator of this version.
    selector: (text) => text.split(/[ \t]+/)[1]?.replace(/\/$/, '') ?? text,
  }),
  units: fc.array(unitFile, { maxLength: 8 }),
})

/** The same with an fstab that is spoilt at a few places. */
const hostileTree = tree.chain((each) =>
  hostile(fc.constant({ '/etc/fstab': each.fstab.join('\n') })).map((files) => ({
    ...each,
    fstab: [files['/etc/fstab'] ?? ''],
  })),
)

type Tree = typeof tree extends fc.Arbitrary<infer Value> ? Value : never

function plant(root: string, { fstab, units }: Tree): void {
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    if (!existsSync(join(root, file))) writeFileSync(join(root, file), text)
  }
  put('etc/fstab', fstab.join('\n'))
  put('proc/cmdline', 'quiet')
  put('usr/lib/systemd/systemd', '')
  const lines = units.map((each) => {
    const unit = mountUnit(each.path)
    const said = each.options === null ? '' : `Options=${each.options.replaceAll('%', '%%')}\n`
    const directory = `${each.at}/systemd/system`
    const own = { own: unit, beginning: unit.replace(/-[^-]*$/, '-.mount'), type: 'mount' }[each.level]
    switch (each.kind) {
      case 'unit':
        return () =>
          put(
            `${directory}/${unit}`,
            `[Unit]\nDefaultDependencies=no\n[Mount]\nWhat=tmpfs\nWhere=${each.path}\n${said}`,
          )
      case 'mask':
        return () => link(join(root, 'etc/systemd/system', unit), '/dev/null')
      case 'drop-in':
        return () => put(`${directory}/${own}.d/${each.name}`, `# ours\n[Mount]\n${said}`)
      default:
        return () =>
          link(join(root, 'etc/systemd/system/local-fs.target.wants', unit), `/usr/lib/systemd/system/${unit}`)
    }
  })
  for (const write of lines) write()
  const after = PATHS.map((each) => `After=${mountUnit(each)}\n`).join('')
  put('usr/lib/systemd/system/default.target', `[Unit]\nWants=local-fs.target basic.target\n${after}`)
  put('usr/lib/systemd/system/local-fs.target', '[Unit]\nDefaultDependencies=no\n')
  // As systemd brings it.
  put(
    'usr/lib/systemd/system/basic.target',
    '[Unit]\nDefaultDependencies=no\nRequiresMountsFor=/var /var/tmp\nWants=tmp.mount\n',
  )
}

function link(at: string, to: string): void {
  mkdirSync(dirname(at), { recursive: true })
  if (!existsSync(at)) {
    try {
      symlinkSync(to, at)
    } catch {
      // A link to nothing is there already.
    }
  }
}

const START_ALL = `
set -e
cd "$1"
count=0
while [ -d $count ]; do
  mkdir -p $count/run/systemd/generator early late
  SYSTEMD_FSTAB=$PWD/$count/etc/fstab SYSTEMD_LOG_LEVEL=crit ${GENERATOR} $count/run/systemd/generator early late || :
  find $count/run -name '*.mount' -type f -exec sed -i 's|^SourcePath=.*|SourcePath=/etc/fstab|' {} +
  chmod -R a+rX $count
  path=
  for at in etc/systemd/system run/systemd/generator usr/local/lib/systemd/system usr/lib/systemd/system; do path=$path:$PWD/$count/$at; done
  setpriv --reuid=65534 --regid=65534 --clear-groups env -i SYSTEMD_UNIT_PATH=\${path#:} ${SYSTEMD} --test --system \\
    --log-level=debug --log-target=console >$count/truth 2>&1 || true
  count=$((count + 1))
done`

test.skipIf(needsSystemd)(
  `the stored mounts are those that systemd would mount at its start (${needsSystemd ?? 'systemd --test'})`,
  { timeout: PATIENCE },
  () => {
    const trees = sample(hostileTree, { usual: 55, soak: 1_500 })
    expect(trees.length * PATHS.length).toBeGreaterThanOrEqual(500)
    // systemd also looks at what is mounted on the machine, where other tests mount and unmount: ask again before it is wrong.
    const wrong = disagreements(trees).length === 0 ? [] : disagreements(trees)
    expectAgreement({ reader: 'fstab and mount units', program: 'systemd', texts: trees.length }, wrong)
  },
)

function disagreements(trees: readonly Tree[]): readonly unknown[] {
  const directory = temporaryDirectory()
  for (const [index, each] of trees.entries()) plant(join(directory, String(index)), each)
  execFileSync('sh', ['-c', START_ALL, 'sh', directory], { stdio: 'pipe' })
  return trees.flatMap((each, index): unknown[] => {
    const root = join(directory, String(index))
    const truth = readFileSync(join(root, 'truth'), 'utf8')
    expect(truth.includes('-> Unit default.target:'), truth.slice(0, 3000)).toBe(true)
    const mounts = openMounts(mountPlace(root))
    return PATHS.flatMap((at): unknown[] => {
      const ours = mounts.stored(at)
      const theirs = systemdsWord(truth, mountUnit(at))
      // A masked unit keeps those from being mounted that need it.
      const isMasked = each.units.some(({ kind }) => kind === 'mask')
      if (ours.kind === 'unknown') return []
      const stored = ours.value
      const isSame =
        stored.kind === 'nothing'
          ? theirs.options === undefined
          : theirs.options !== undefined &&
            same(stored.options, theirs.options) &&
            (isMasked || agrees(at, stored.idle, theirs.starts))
      return isSame ? [] : [{ at, stored, theirs, ...each }]
    })
  })
}

/** What is not mounted by itself may come along with what is mounted in it; then we are on the safe side. */
function agrees(at: string, idle: string | undefined, starts: boolean): boolean {
  return idle === undefined ? starts : !starts || OUTER.has(at)
}

function same(ours: string, theirs: string): boolean {
  const words = (text: string): string => resolveOptions(text).toSorted().join()
  return words(ours) === words(theirs)
}

/** What the dump of a systemd that only tries to start says of a unit; without options where it would not be mounted. */
function systemdsWord(dump: string, unit: string): { readonly options?: string; readonly starts: boolean } {
  const from = dump.indexOf(`-> Unit ${unit}:\n`)
  const block = from === -1 ? '' : dump.slice(from, dump.indexOf('-> Unit ', from + 1) >>> 0)
  const starts = dump.includes(`Action: ${unit} -> start`)
  if (!block.includes('Unit Load State: loaded')) return { starts }
  const said = /^\t*Options: (.*)$/m.exec(block)?.[1] ?? ''
  return { options: said === 'n/a' ? '' : said, starts }
}

// systemd-escape(1) is the program for it.
const ESCAPE = '/usr/bin/systemd-escape'

test.skipIf(existsSync(ESCAPE) ? undefined : 'needs systemd-escape')(
  'the name of a unit is as systemd-escape has it',
  () => {
    const parts = fc.string({
      unit: fc.constantFrom('a', 'Z', '-', '.', '_', ' ', '\\', 'é', ':', '@', '%'),
      minLength: 1,
    })
    const paths = fc
      .sample(fc.array(parts, { minLength: 1, maxLength: 4 }), { numRuns: 500, seed: 14 })
      .map((each) => `/${each.filter((part) => part !== '.' && part !== '..').join('/')}`)
    const names = execFileSync(ESCAPE, ['--path', '--suffix=mount', ...paths], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })
    expect(paths.map(mountUnit)).toEqual(names.trimEnd().split(' '))
  },
)
