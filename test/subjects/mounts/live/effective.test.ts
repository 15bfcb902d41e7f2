import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolveOptions, tellingOptions } from '../../../../src/host/mount-options.ts'
import { findMount, parseMountinfo } from '../../../../src/host/mount-table.ts'
import { cannotMount } from '../../../support/mount.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'

const WORDS =
  'defaults ro rw nosuid suid nodev dev noexec exec nosymfollow symfollow user users owner group nouser noatime atime nodiratime diratime sync async nofail size=64k x-systemd.automount x-gvfs-show'.split(
    ' ',
  )

/** What a mount shows of what it was given as it was given. */
const COMPARED = new Set('ro nosuid nodev noexec nosymfollow noatime nodiratime sync size=64k'.split(' '))

/** One mount after the other, of a kind that needs no disk, as an fstab says. */
const MOUNT_ALL = `
set -e
cd "$1"
mount -a -T fstab
cat /proc/self/mountinfo >mountinfo
findmnt --json --output TARGET,OPTIONS,SOURCE,FSTYPE >findmnt.json`

describe.skipIf(cannotMount)(`mounted options (${cannotMount ?? 'in a namespace'})`, { timeout: PATIENCE }, () => {
  test('options derived from a line of fstab equal the options in the kernel', () => {
    const directory = temporaryDirectory()
    const texts = sample(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 7 }), {
      usual: 500,
      soak: 3_000,
    })
    const lines = texts.map((words, index) => {
      mkdirSync(join(directory, `m ${index}`))
      return `source${index} ${join(directory, `m\\040${index}`)} tmpfs ${words.join(',')} 0 0\n`
    })
    writeFileSync(join(directory, 'fstab'), lines.join(''))
    execFileSync('unshare', ['--mount', 'sh', '-c', MOUNT_ALL, 'sh', directory], { stdio: 'pipe' })
    const table = parseMountinfo(readFileSync(join(directory, 'mountinfo'), 'latin1')) ?? []
    const listed = new Map(
      flat(JSON.parse(readFileSync(join(directory, 'findmnt.json'), 'utf8')).filesystems).map((each) => [
        each.target,
        each,
      ]),
    )
    const wrong = texts.flatMap((words, index): unknown[] => {
      const point = join(directory, `m ${index}`)
      const { top } = findMount(table, point)
      const stored = resolveOptions(words.join(',')).filter((word) => COMPARED.has(word))
      const now = top?.options.filter((word) => COMPARED.has(word)) ?? []
      const truth = listed.get(point)
      const whole = tellingOptions(truth?.options ?? '')
      const isRight =
        stored.toSorted().join() === now.toSorted().join() &&
        top?.options.toSorted().join() === whole.toSorted().join() &&
        top.source === truth?.source &&
        top.fstype === truth.fstype
      return isRight ? [] : [{ words, stored, now, whole }]
    })
    expectAgreement({ reader: 'options of fstab', program: 'findmnt', texts: texts.length }, wrong)
    expect(listed.size).toBeGreaterThanOrEqual(texts.length)
  })

  test('the mount that can be seen at a path is the one that opening it leads to', () => {
    const directory = temporaryDirectory()
    const parts = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
    const step = fc.tuple(fc.constantFrom('tmpfs', 'bind', 'rbind', 'umount'), parts, parts)
    const rounds = sample(fc.array(step, { minLength: 3, maxLength: 12 }), { usual: 25, soak: 500 })
    const scripts = rounds.map((steps) =>
      steps.map(([verb, at, from]) => commandOf(verb, at.join('/'), from.join('/'))).join('\n'),
    )
    writeFileSync(join(directory, 'all.sh'), scriptOf(scripts))
    execFileSync('unshare', ['--mount', 'bash', 'all.sh'], { cwd: directory, stdio: 'pipe' })
    let asked = 0
    const wrong = rounds.flatMap((steps, round): unknown[] => {
      const table = parseMountinfo(readFileSync(join(directory, `mountinfo.${round}`), 'latin1')) ?? []
      const answers = readFileSync(join(directory, `truth.${round}`), 'utf8')
        .trimEnd()
        .split('\n')
      asked += answers.length
      return answers.flatMap((answer): unknown[] => {
        const [path = '', truth] = answer.split(' ')
        const { top, below } = findMount(table, path)
        // Where nothing is mounted at the path itself, it lies in the mount below it.
        return (top ?? below)?.id === truth ? [] : [{ steps, path, truth, top, below }]
      })
    })
    expectAgreement({ reader: 'mount table', program: 'mount', texts: rounds.length }, wrong)
    expect(asked).toBeGreaterThan(500)
  })
})

function commandOf(verb: string, at: string, from: string): string {
  if (verb === 'umount') return `umount "tree/${at}" 2>/dev/null || true`
  const make = `mkdir -p "tree/${at}" "tree/${from}"`
  const what = verb === 'tmpfs' ? '-t tmpfs tmpfs' : `--${verb} "tree/${from}"`
  return `${make} && mount ${what} "tree/${at}" 2>/dev/null || true`
}

/** In every round a fresh tree; then what each directory in it is opened as. */
function scriptOf(scripts: readonly string[]): string {
  const rounds = scripts.map(
    (script, round) => `
mkdir round.${round} && cd round.${round} && mkdir tree && mount -t tmpfs tmpfs tree
mkdir -p tree/{a,b,c}/{a,b,c}/{a,b,c}
${script}
cat /proc/self/mountinfo >../mountinfo.${round}
for path in "$PWD/tree" "$PWD"/tree/* "$PWD"/tree/*/* "$PWD"/tree/*/*/*; do
  [ -d "$path" ] || continue
  exec 3<"$path"
  while read -r key value; do [ "$key" != mnt_id: ] || echo "$path $value"; done </proc/self/fdinfo/3
  exec 3<&-
done >../truth.${round}
cd ..`,
  )
  return `set -e\nmount --make-rprivate /\n${rounds.join('\n')}\n`
}

interface Listed {
  readonly target: string
  readonly options: string
  readonly source: string
  readonly fstype: string
  readonly children?: readonly Listed[]
}

function flat(listed: readonly Listed[]): readonly Listed[] {
  return listed.flatMap((each) => [each, ...flat(each.children ?? [])])
}
