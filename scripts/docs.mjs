// Builds the documentation site in docs/site/dist: README, guides, tutorials, and the reference of types, commands, shipped policies and
// schemas. The navigation is the "Documentation" section of README, then the reference, so a guide that README does not list fails
// the build, as a dead link does. Only the installation of VitePress uses the network; it is skipped where the lock is installed.
import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { commandPages } from './docs/commands.mjs'
import { policyPages } from './docs/policies.mjs'
import { schemaPages } from './docs/schemas.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const site = join(root, 'docs/site')
const pages = join(site, 'pages')

const written = await writtenPages()
const generated = new Map([...(await commandPages(root)), ...(await policyPages(root)), ...(await schemaPages(root))])
const all = new Map([...written, ...generated])
await rm(pages, { recursive: true, force: true })
for (const [path, text] of all) await write(path, await forSite(path, text))
await write('navigation.json', JSON.stringify({ sidebar: sidebar() }))
await install()
run('npm', ['run', '--silent', 'build'])

/** The pages in git and the reference that the build generates, by their path in the project. */
async function writtenPages() {
  const folders = ['docs', 'docs/guide', 'docs/tutorials', 'docs/decisions', 'docs/reference']
  const listed = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => `${folder}/${name}`)),
  )
  const paths = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...listed.flat().filter((path) => path.endsWith('.md')),
  ]
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')])))
}

/** A page of the site: without HTML, without templates of Vue, and with links to pages of the site or to copied files. */
async function forSite(path, markdown) {
  const text = markdown.replaceAll(/^<!-- .* -->\n\n?/gm, '')
  const links = /(\]\()(?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g
  const replacements = await Promise.all(
    [...text.matchAll(links)].map(async ([, start, link, anchor = '']) => {
      const target = normalize(join(dirname(path), link))
      const page = pageOf(target)
      if (page !== undefined) return `${start}${relative(dirname(siteOf(path)), siteOf(page))}${anchor})`
      await cp(join(root, target), join(pages, 'public', target), { recursive: true })
      return `${start}/${target}${anchor})${/\.(png|svg)$/.test(target) ? '' : '{target="_self"}'}`
    }),
  )
  return `::: v-pre\n\n${text.replaceAll(links, () => replacements.shift())}\n:::\n`
}

function pageOf(target) {
  const schema = /^schemas\/(.*)\.schema\.json$/.exec(target)?.[1]
  const candidates = [target, `${target}/README.md`, `docs/reference/schemas/${schema}.md`]
  return candidates.find((candidate) => all.has(candidate))
}

/** Where the site has a page. */
function siteOf(path) {
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

async function write(path, text) {
  const file = join(pages, siteOf(path))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

function sidebar() {
  const [, documentation = ''] = /^## Documentation$(.*?)^## /ms.exec(written.get('README.md')) ?? []
  const groups = documentation.split(/\n(?=[A-Z][^\n]*:\n)/).filter((group) => group.includes(']('))
  const linked = groups.map((group) => {
    const links = [...group.matchAll(/\]\((docs\/[^)]*\.md)\)/g)].map(([, path]) => path)
    return { text: group.split(':\n')[0].trim(), items: links.map(itemOf) }
  })
  const listed = new Set(linked.flatMap(({ items }) => items.map(({ path }) => path)))
  const missing = [...written.keys()].filter((path) => /^docs\/(guide|tutorials)\//.test(path) && !listed.has(path))
  if (missing.length > 0) throw new Error(`README.md does not list ${missing.join(', ')} below "Documentation"`)
  const below = (text, matches) => ({ text, collapsed: true, items: [...all.keys()].filter(matches).map(itemOf) })
  return [
    ...linked,
    below('Reference of types', (path) => /^docs\/reference\/[^/]*$/.test(path)),
    below('Reference of commands', (path) => path.startsWith('docs/reference/commands/')),
    below('Controls', (path) => path.startsWith('docs/reference/policies/')),
    below('JSON schemas', (path) => path.startsWith('docs/reference/schemas/')),
    below('Development', (path) => /^(docs\/decisions\/|docs\/[^/]*$|CHANGELOG|CONTRIBUTING)/.test(path)),
  ]
}

function itemOf(path) {
  const [, title] = /^# (.*)$/m.exec(all.get(path) ?? '') ?? []
  if (title === undefined) throw new Error(`${path} has no title, or does not exist`)
  return {
    text: title.replaceAll('`', ''),
    link: `/${siteOf(path)
      .replace(/\.md$/, '')
      .replace(/index$/, '')}`,
    path,
  }
}

/** Installs VitePress as its lock says, unless it is. */
async function install() {
  const time = async (path) => (await stat(join(site, path)).catch(() => undefined))?.mtimeMs ?? 0
  if ((await time('node_modules/.package-lock.json')) >= (await time('package-lock.json'))) return
  run('npm', ['ci', '--no-audit', '--no-fund', '--silent'])
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
