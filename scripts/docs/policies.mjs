// The reference of controls: a page for each shipped policy, with its controls.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { cell } from './table.mjs'

/** The pages by their path in the project. */
export async function policyPages(root) {
  const folder = join(root, 'dist/policies')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const { policy } = parse(await readFile(join(folder, file), 'utf8'), { maxAliasCount: -1 })
      const name = basename(file, '.yaml')
      return [`docs/reference/policies/${name}.md`, pageOf(name, policy)]
    }),
  )
}

function pageOf(name, { title, description, controls }) {
  const rows = controls.map(
    (control) =>
      `| \`${control.id}\` | ${control.severity ?? ''} | ${cell(control.title)} | ${cell(control.remediation)} |`,
  )
  return [
    `# @${name}`,
    '',
    `${title}. ${description ?? ''} Scan with \`driftgate scan @${name}\`.`,
    '',
    '| control | severity | requirement | remediation |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
