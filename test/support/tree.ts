import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a directory, by path: `<mode> <content>` of files (a digest of long ones), `-> target` of links, `<mode>/` of directories. */
export function readTree(root: string, path = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(root, path)).toSorted()) {
    const inside = path === '' ? name : `${path}/${name}`
    const full = join(root, inside)
    const stats = lstatSync(full)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) tree[inside] = `-> ${readlinkSync(full)}`
    else if (stats.isDirectory()) Object.assign(tree, { [inside]: `${mode}/` }, readTree(root, inside))
    else if (stats.isFile()) tree[inside] = `${mode} ${contentOf(full)}`
    else tree[inside] = 'special'
  }
  return tree
}

function contentOf(path: string): string {
  const content = readFileSync(path)
  return content.length > 100
    ? `sha256:${createHash('sha256').update(content).digest('hex')}`
    : content.toString('utf8')
}
