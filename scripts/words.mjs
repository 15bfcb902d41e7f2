// Counts wording that the style of this project rejects, by folder, and fails where a count is above the one in
// scripts/words.json. `npm run words -- --list FOLDER` prints the places, `--update` lowers the counts to what is there.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const COUNTS = join(root, 'scripts/words.json')
const LONGEST_SUMMARY = 70
const TITLE_WORDS = { least: 4, most: 12 }

/** What is counted in every text, by name. What is left of the pronouns names the account nobody. */
const PATTERNS = {
  pronouns: /(?<!['`"/@:_-])\b(?:nobody|somebody|anybody|everybody|whoever|whatever)\b(?!['`":/_-])/gi,
  'is none': /\b(?:is|are|was|were|has|have) none\b/g,
  names:
    /\b(?:interface|type|class) (?:\w*(?:Way|Hands|Thing|Errand|Parcel|Asked|Said|Heard|Given|Wanted|Look)|(?:Seen|Heard|Said|Given|Wanted)[A-Z]\w*)\b/g,
}

const { values } = parseArgs({ options: { update: { type: 'boolean' }, list: { type: 'string' } } })
const found = count()
if (values.list !== undefined) {
  for (const { folder, what, place, text } of found)
    if (folder === values.list) console.log(`${place}  ${what}: ${text}`)
} else {
  compare(byFolder(found))
}

function count() {
  const paths = execFileSync('git', ['ls-files', 'src', 'policies', 'docs', 'scripts', 'README.md', 'CHANGELOG.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  return paths
    .split('\n')
    .filter((path) => /\.(?:ts|mjs|md|yaml)$/.test(path) && path !== 'scripts/words.mjs')
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return [...patternsIn(path, text), ...summariesIn(path, text), ...titlesIn(path, text)]
    })
}

function patternsIn(path, text) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      Object.entries(PATTERNS).flatMap(([what, pattern]) =>
        Array.from(line.matchAll(pattern), () => finding(path, index + 1, what, line.trim())),
      ),
    )
}

/** Summaries of commands and options that are longer than a line of help. */
function summariesIn(path, text) {
  if (!path.startsWith('src/cli/')) return []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const long = []
  const visit = (node) => {
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText(source) === 'summary' &&
      ts.isStringLiteral(node.initializer)
    ) {
      const { text: summary } = node.initializer
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      if (summary.length > LONGEST_SUMMARY) long.push(finding(path, line + 1, 'long summaries', summary))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return long
}

function titlesIn(path, text) {
  if (!path.startsWith('policies/catalogue/') || path.endsWith('/catalogue.yaml')) return []
  return parse(text).flatMap(({ title }) => {
    const words = title.split(/\s+/).length
    const isRight = words >= TITLE_WORDS.least && words <= TITLE_WORDS.most
    return isRight ? [] : [finding(path, 1, 'titles', title)]
  })
}

function finding(path, line, what, text) {
  const [first = '', second = ''] = path.split('/')
  return {
    folder: path.includes('/') ? `${first}/${second.replace(/\..*/, '')}` : first,
    what,
    place: `${path}:${line}`,
    text,
  }
}

function byFolder(all) {
  const counts = {}
  for (const { folder, what } of all) {
    counts[folder] ??= {}
    counts[folder][what] = (counts[folder][what] ?? 0) + 1
  }
  return counts
}

function compare(counts) {
  const allowed = JSON.parse(readFileSync(COUNTS, 'utf8'))
  const entries = Object.entries(counts).flatMap(([folder, each]) =>
    Object.entries(each).map(([what, number]) => ({ folder, what, number, most: allowed[folder]?.[what] ?? 0 })),
  )
  const grown = entries.filter(({ number, most }) => number > most)
  for (const { folder, what, number, most } of grown)
    console.log(`${folder}: ${what}: ${number}, at most ${most}; npm run words -- --list ${folder} shows them`)
  const total = (name) => entries.reduce((sum, { what, number }) => sum + (what === name ? number : 0), 0)
  console.log(
    Object.keys({ ...PATTERNS, 'long summaries': 0, titles: 0 })
      .map((name) => `${name} ${total(name)}`)
      .join(', '),
  )
  if (values.update && grown.length === 0) {
    const sorted = Object.fromEntries(Object.entries(counts).toSorted(([left], [right]) => left.localeCompare(right)))
    writeFileSync(COUNTS, `${JSON.stringify(sorted, undefined, 2)}\n`)
  }
  process.exitCode = grown.length > 0 ? 1 : 0
}
