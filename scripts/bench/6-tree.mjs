// One walk for all rules over a tree: twenty rules over 300,000 entries against one walk of find(1).
import { mkdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const DIRECTORIES = 27_000
const FILES_IN_EACH = 10

export async function run({ folder, driftgate, median, compare, peakMemoryBytes }) {
  const tree = join(folder, 'tree')
  makeTree(tree)
  const [one, twenty] = [await policyOf(folder, tree, 1), await policyOf(folder, tree, 20)]
  const find = ['find', tree, '-xdev', '-perm', '/6000']
  const scan = (policy) => driftgate('scan', policy, '--quiet')
  const [walk, single, all] = median([find, scan(one), scan(twenty)], { runs: 5 })
  const peak = await peakMemoryBytes(scan(twenty))
  const against = { against: 'find -perm', baseline: walk }
  return [
    compare('1 rule about 300,000 entries, whole command', single, against),
    compare('20 rules about 300,000 entries, whole command', all, { ...against, atMost: 2 }),
    { work: '20 rules about 300,000 entries, memory', measured: peak / 1024 ** 2, unit: 'MB' },
  ]
}

/** Directories four levels deep, ten entries in each but for the upper ones. */
function makeTree(tree) {
  for (let index = 0; index < DIRECTORIES; index++) {
    const directory = join(tree, ...[index % 30, Math.floor(index / 30) % 30, Math.floor(index / 900)].map(String))
    mkdirSync(directory, { recursive: true })
    for (let file = 0; file < FILES_IN_EACH; file++) writeFileSync(join(directory, `some-file-${file}.txt`), '')
  }
}

/** Rules as baselines have them: most about everything, some about names, some with exceptions. */
async function policyOf(folder, tree, count) {
  const rules = [
    { kinds: ['file'], mode: { at_most: '7775' } },
    { kinds: ['file'], mode: { at_most: '1777' }, exclude: ['1/2/3/some-file-1.txt', '4/5'] },
    { kinds: ['directory'], with_mode: { at_least: '0002' }, mode: { at_least: '1000' } },
    { unowned: false },
    { include: ['*.log'], mode: { at_most: '0640' } },
    { kind: { none_of: ['block-device', 'character-device'] } },
    { exclude: ['7/**'], group: { not: '65533' } },
  ]
  const resources = Array.from({ length: count }, (_, index) => ({
    files: [{ [tree]: { alias: `rule ${index}`, ...rules[index % rules.length] } }],
  }))
  const path = join(folder, `tree-${count}.json`)
  await writeFile(path, JSON.stringify({ ccm: { resources } }))
  return path
}
