import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf } from './document.ts'
import { PROJECT, readDocument } from './documents.ts'

const PLUGIN = 'examples/plugins/file-owner'
const GUIDE = ['writing-a-resource-type', 'file-owner-example', 'resource-type-features'].map(
  (page) => `docs/guide/${page}.md`,
)

/** Every file of the plugin that is no product of a build, by its path in the plugin. */
function filesOfPlugin(): readonly string[] {
  return readdirSync(join(PROJECT, PLUGIN), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(PROJECT, PLUGIN).length + 1))
    .filter((path) => !/^(dist|node_modules)\//.test(path))
}

/** The files that the pages show in the folder of the plugin. */
function filesOfGuide(): ReadonlyMap<string, string> {
  return new Map(
    GUIDE.flatMap((page) => blocksOf(readDocument(page))).flatMap(({ file, lines }) =>
      file?.startsWith('file-owner/') === true
        ? [[file.slice('file-owner/'.length), lines.map((line) => `${line}\n`).join('')] as const]
        : [],
    ),
  )
}

test('the guide shows every file of the example plugin as it is', () => {
  const plugin = new Map(filesOfPlugin().map((path) => [path, readFileSync(join(PROJECT, PLUGIN, path), 'utf8')]))
  const guide = filesOfGuide()
  expect([...guide.keys()].toSorted()).toEqual([...plugin.keys()].toSorted())
  for (const [path, text] of guide) expect(text, path).toBe(plugin.get(path))
})
