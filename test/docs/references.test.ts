import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { blocksOf, commandsOf, isPipeline } from './document.ts'
import { DOCUMENTS, PROJECT, readDocument, REFERENCE } from './documents.ts'

const ALL = [...DOCUMENTS, ...REFERENCE, 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/architecture.md', 'docs/testing.md']

test.each(ALL)('every link of %s leads somewhere', (path) => {
  const links = [...readDocument(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
  for (const [link, file = '', heading] of links) {
    const target = file === '' ? path : join(dirname(path), file)
    expect(existsSync(join(PROJECT, target)), link).toBe(true)
    if (heading !== undefined) expect(headingsOf(target), link).toContain(heading)
  }
})

/** The anchors that readers of Markdown make of headings. */
function headingsOf(path: string): readonly string[] {
  return [...readDocument(path).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(DOCUMENTS)('every option that %s names exists', async (path) => {
  const options = await knownOptions()
  for (const [, code = ''] of readDocument(path).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)) {
    for (const [option] of code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)) expect(options, code).toContain(option)
  }
})

let known: Promise<readonly string[]> | undefined

/** The options of all commands. Their helps are asked for once. */
function knownOptions(): Promise<readonly string[]> {
  return (known ??= readOptions())
}

async function readOptions(): Promise<readonly string[]> {
  const cwd = tmpdir()
  const overview = await driftgate(['--help'], { cwd })
  const commands = [...overview.stdout.matchAll(/^ {2}driftgate ([a-z]+)/gm)].map(([, name = '']) => name)
  const help = (name: string): ReturnType<typeof driftgate> => driftgate([...name.split(' '), '--help'], { cwd })
  const helps = await Promise.all(commands.map(help))
  // Those of two words stand in the help of the one they belong to.
  const below = helps.flatMap(({ stdout }) => [...stdout.matchAll(/^ {2}driftgate ([a-z]+ [a-z]+) .*(?:\n|$)/gm)])
  const two = new Set(below.map(([, name = '']) => name))
  return [overview, ...helps, ...(await Promise.all([...two].map(help)))].flatMap(
    ({ stdout }) => stdout.match(/--[a-z][a-z-]*/g) ?? [],
  )
}

test.each(DOCUMENTS)('every file that %s shows is used', (path) => {
  const blocks = blocksOf(readDocument(path))
  const commands = commandsIn(path)
  for (const { file, language, lines, start } of blocks) {
    const place = `${path}:${start} ${language}`
    if (['console', 'sh', 'text'].includes(language) || isPipeline({ lines })) continue
    expect(file, `${place} names no file`).toBeDefined()
    const texts = [...commands, ...blocks.flatMap((other) => other.lines)]
    const names = file === undefined ? [] : [file, ...foldersOf(file).map((folder) => ` ${folder}`)]
    const isUsed = names.some((name) => texts.some((text) => text.includes(name)))
    expect(isUsed, `${place}: nothing uses ${file}`).toBe(true)
  }
})

/** The folders a file lies in, the nearest first. */
function foldersOf(file: string): readonly string[] {
  const folder = dirname(file)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}

function commandsIn(path: string): readonly string[] {
  return blocksOf(readDocument(path))
    .filter(({ language }) => language === 'console')
    .flatMap(commandsOf)
    .map(({ command }) => command)
}

test.each(DOCUMENTS.filter((path) => path.startsWith('docs/tutorials/')))('%s has at most 700 words', (path) => {
  expect(readDocument(path).match(/\S+/g)?.length).toBeLessThanOrEqual(700)
})

test('the two commands at the top of the README stand where CI finds them', () => {
  const readme = readDocument('README.md')
  const commands = ['quickstart', 'test'].map((name) => {
    const [, body = ''] = new RegExp(`^<!-- ${name} -->$(.*?)^<!-- /${name} -->$`, 'ms').exec(readme) ?? []
    return body.split('\n').filter((line) => line !== '' && !line.startsWith('```'))
  })
  expect(commands).toEqual([['npm ci && npx driftgate scan policies/quickstart.yaml'], ['npm ci && npm test']])
})
